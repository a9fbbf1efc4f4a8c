/**
 * Dates and timestamps as text and back, over the whole range of the types: DATE is days, UNIXTIME_MICROS
 * microseconds since 1970-01-01 UTC. Years outside 0000 to 9999 have a sign and six digits or more, as in ISO 8601.
 */

const MICROS_PER_DAY = 86_400_000_000n;
const DAYS_PER_ERA = 146_097;

/** `YYYY-MM-DD` of a day, in the proleptic Gregorian calendar. */
export function dateText(day: number): string {
  // Years start in March here, so that the leap day is the last of its year; an era is 400 years.
  const shifted = day + 719_468;
  const era = Math.floor(shifted / DAYS_PER_ERA);
  const dayOfEra = shifted - era * DAYS_PER_ERA;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const dayOfMonth = dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1;
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return `${yearText(yearOfEra + era * 400 + (month <= 2 ? 1 : 0))}-${digits(month, 2)}-${digits(dayOfMonth, 2)}`;
}

/** The day of a date text; `undefined` for text that is no date of the calendar. */
export function parseDate(text: string): number | undefined {
  const [, yearPart, monthPart, dayPart] = /^(\d{4}|[+-]\d{6,7})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  const year = Number(yearPart);
  const month = Number(monthPart);
  const day = Number(dayPart);
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= daysOfMonth(year, month))) {
    return undefined;
  }
  const marchYear = year - (month <= 2 ? 1 : 0);
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * DAYS_PER_ERA + dayOfEra - 719_468;
}

/** `YYYY-MM-DDTHH:MM:SS.ffffffZ`. */
export function timestampText(micros: bigint): string {
  const day = floorDivide(micros, MICROS_PER_DAY);
  const micro = Number(micros - day * MICROS_PER_DAY);
  const second = Math.floor(micro / 1e6);
  const time = [second / 3600, (second / 60) % 60, second % 60]
    .map((part) => digits(Math.floor(part), 2))
    .join(":");
  return `${dateText(Number(day))}T${time}.${digits(micro % 1e6, 6)}Z`;
}

const TIMESTAMP =
  /^(?<date>(?:\d{4}|[+-]\d{6,7})-\d{2}-\d{2})[T ](?<hour>\d{2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:\.(?<fraction>\d{1,6}))?)?(?:Z|(?<sign>[+-])(?<zoneHour>\d{2}):?(?<zoneMinute>\d{2}))?$/;

/**
 * Microseconds of a timestamp: date, `T` or a space, hours and minutes, and if wanted seconds, up to six decimals and
 * `Z` or an offset (none means UTC). `undefined` for other text.
 */
export function parseTimestamp(text: string): bigint | undefined {
  const groups = TIMESTAMP.exec(text)?.groups;
  const day = parseDate(groups?.["date"] ?? "");
  if (groups === undefined || day === undefined) {
    return undefined;
  }
  const number = (name: string): number => Number(groups[name] ?? 0);
  const parts = { hour: number("hour"), minute: number("minute"), second: number("second") };
  const zone = { hour: number("zoneHour"), minute: number("zoneMinute") };
  if (parts.hour > 23 || parts.minute > 59 || parts.second > 59 || zone.hour > 23 || zone.minute > 59) {
    return undefined;
  }
  const offset = (zone.hour * 60 + zone.minute) * (groups["sign"] === "-" ? -1 : 1);
  const seconds = parts.hour * 3600 + (parts.minute - offset) * 60 + parts.second;
  const fraction = (groups["fraction"] ?? "").padEnd(6, "0");
  return BigInt(day) * MICROS_PER_DAY + BigInt(seconds) * 1_000_000n + BigInt(fraction);
}

function daysOfMonth(year: number, month: number): number {
  if (month === 2) {
    return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  }
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

function yearText(year: number): string {
  if (year >= 0 && year <= 9999) {
    return digits(year, 4);
  }
  return `${year < 0 ? "-" : "+"}${digits(Math.abs(year), 6)}`;
}

function digits(value: number, width: number): string {
  return String(value).padStart(width, "0");
}

function floorDivide(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  return quotient * divisor > value ? quotient - 1n : quotient;
}
