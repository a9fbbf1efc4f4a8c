/** Draws a file: all of it on top, an enlarged range below, its health at the bottom. */
import { type Drawing, drawHealth, drawParts, type Marks, type Span } from "./draw-parts.js";

const OVERVIEW = 18;
/** Top of the enlarged range, below the overview. */
export const DETAIL_TOP = 30;
const DETAIL = 64;
const HEALTH_TOP = DETAIL_TOP + DETAIL + 3;
export const STRIP_HEIGHT = HEALTH_TOP + 10;

export function drawStrip(drawing: Drawing, fileSize: number, span: Span, width: number, marks: Marks): void {
  const { context, palette } = drawing;
  const { canvas } = context;
  const ratio = devicePixelRatio;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(STRIP_HEIGHT * ratio);
  context.scale(ratio, ratio);
  context.clearRect(0, 0, width, STRIP_HEIGHT);
  drawParts(drawing, { from: 0, to: fileSize }, { top: 0, height: OVERVIEW, width });
  const left = (span.from / fileSize) * width;
  const right = (span.to / fileSize) * width;
  context.strokeStyle = palette.ink;
  context.lineWidth = 1.5;
  context.strokeRect(left + 0.75, 0.75, Math.max(3, right - left - 1.5), OVERVIEW - 1.5);
  context.beginPath();
  context.moveTo(left, OVERVIEW);
  context.lineTo(0, DETAIL_TOP);
  context.moveTo(right, OVERVIEW);
  context.lineTo(width, DETAIL_TOP);
  context.strokeStyle = palette.faint;
  context.lineWidth = 1;
  context.stroke();
  drawParts(drawing, span, { top: DETAIL_TOP, height: DETAIL, width }, marks);
  drawHealth(drawing, span, { top: HEALTH_TOP, height: 7, width });
}
