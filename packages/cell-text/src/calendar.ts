/**
 * Dates and timestamps as text and back, over the whole range of the types: DATE is days, UNIXTIME_MICROS
 * microseconds since 1970-01-01 UTC. Years outside 0000 to 9999 have a sign and six digits or more, as in ISO 8601.
 *
 * `Date` covers less than this range and takes six times as long. Years start in March here, so that the leap day is the last day
 * of its year; an era is 400 years.
 */

const MICROS_PER_DAY = 86_400_000_000n;
const DAYS_PER_ERA = 146_097;
/** Days from 0000-03-01 to 1970-01-01. */
const EPOCH = 719_468;

/** `YYYY-MM-DD` of a day, in the proleptic Gregorian calendar. */
export function dateText(day: number): string {
  const era = divide(day + EPOCH, DAYS_PER_ERA);
  const dayOfEra = day + EPOCH - era * DAYS_PER_ERA;
  const leapDays = divide(dayOfEra, 1460) - divide(dayOfEra, 36_524) + divide(dayOfEra, 146_096);
  const yearOfEra = divide(dayOfEra - leapDays, 365);
  const dayOfYear = dayOfEra - firstDayOf(yearOfEra);
  const marchMonth = divide(5 * dayOfYear + 2, 153);
  const dayOfMonth = dayOfYear - divide(153 * marchMonth + 2, 5) + 1;
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return `${yearText(yearOfEra + era * 400 + (month <= 2 ? 1 : 0))}-${digits(month, 2)}-${digits(dayOfMonth, 2)}`;
}

/** The day of a date text; `undefined` for text that is not a date of the calendar. */
export function parseDate(text: string): number | undefined {
  const parts = /^(\d{4}|[+-]\d{6,7})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  const year = Number(parts[1]);
  const month = Number(parts[2]);
  const day = Number(parts[3]);
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= daysOfMonth(year, month))) {
    return undefined;
  }
  const marchYear = year - (month <= 2 ? 1 : 0);
  const era = divide(marchYear, 400);
  const dayOfYear = divide(153 * (month > 2 ? month - 3 : month + 9) + 2, 5) + day - 1;
  return era * DAYS_PER_ERA + firstDayOf(marchYear - era * 400) + dayOfYear - EPOCH;
}

/** `YYYY-MM-DDTHH:MM:SS.ffffffZ`. */
export function timestampText(micros: bigint): string {
  const rest = micros % MICROS_PER_DAY;
  const inDay = rest < 0n ? rest + MICROS_PER_DAY : rest;
  const date = dateText(Number((micros - inDay) / MICROS_PER_DAY));
  const micro = Number(inDay);
  const second = divide(micro, 1e6);
  const minute = divide(second, 60);
  const time = `${digits(divide(minute, 60), 2)}:${digits(minute % 60, 2)}:${digits(second % 60, 2)}`;
  return `${date}T${time}.${digits(micro % 1e6, 6)}Z`;
}

const TIMESTAMP =
  /^(?<date>(?:\d{4}|[+-]\d{6,7})-\d{2}-\d{2})[T ](?<hour>\d{2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:\.(?<fraction>\d{1,6}))?)?(?:Z|(?<sign>[+-])(?<zoneHour>\d{2}):?(?<zoneMinute>\d{2}))?$/;

/**
 * Microseconds of a timestamp: date, `T` or a space, hours and minutes, optionally seconds, up to six decimals and
 * `Z` or an offset (default: UTC). `undefined` for other text.
 */
export function parseTimestamp(text: string): bigint | undefined {
  const groups = TIMESTAMP.exec(text)?.groups ?? {};
  const part = (name: string, end: number): number => {
    const value = Number(groups[name] ?? 0);
    return value < end ? value : Number.NaN;
  };
  const day = parseDate(groups["date"] ?? "");
  const offset = (part("zoneHour", 24) * 60 + part("zoneMinute", 60)) * (groups["sign"] === "-" ? -1 : 1);
  const seconds = part("hour", 24) * 3600 + (part("minute", 60) - offset) * 60 + part("second", 60);
  if (day === undefined || Number.isNaN(seconds)) {
    return undefined;
  }
  const fraction = (groups["fraction"] ?? "").padEnd(6, "0");
  return BigInt(day) * MICROS_PER_DAY + BigInt(seconds) * 1_000_000n + BigInt(fraction);
}

/** The first day of a year in its era. */
function firstDayOf(year: number): number {
  return 365 * year + divide(year, 4) - divide(year, 100);
}

function daysOfMonth(year: number, month: number): number {
  if (month === 2) {
    return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  }
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

function yearText(year: number): string {
  const inRange = year >= 0 && year <= 9999;
  return inRange ? digits(year, 4) : `${year < 0 ? "-" : "+"}${digits(Math.abs(year), 6)}`;
}

function digits(value: number, width: number): string {
  return String(value).padStart(width, "0");
}

function divide(value: number, divisor: number): number {
  return Math.floor(value / divisor);
}
