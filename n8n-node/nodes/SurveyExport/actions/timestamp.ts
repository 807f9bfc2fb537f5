import { parseTimestamp, type Timestamp } from '@survey-export/core';

const FORM =
	/^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:\.(\d+))?)?)?\s*(Z|[+-]\d{2}:?\d{2})?(?:\[.*\])?$/i;

/**
 * The timestamp that a date field or an expression names, in UTC with microseconds, or undefined when it
 * names none. A time without a zone is in the workflow's time zone, as everywhere in n8n. Microseconds are
 * kept, so that the time of one response can be the bound for others.
 */
export function timestampFrom(value: unknown, timeZone: string): Timestamp | undefined {
	if (value instanceof Date)
		return Number.isNaN(value.valueOf()) ? undefined : timestampFrom(value.toISOString(), 'UTC');
	const parts = FORM.exec(String(value).trim());
	if (!parts) return undefined;
	const [, day, minute = '00:00', second = '00', fraction = '', zone] = parts;
	const written = parseTimestamp(`${day}T${minute}:${second}Z`);
	const epochMs = Date.parse(`${day}T${minute}:${second}Z`);
	if (written === undefined || Number.isNaN(epochMs)) return undefined;
	// A day that does not exist, such as 31 June, would be taken for the next one.
	if (new Date(epochMs).toISOString().slice(0, 10) !== day) return undefined;
	const utcMs = epochMs - (zone ? writtenOffsetMs(zone) : offsetMs(epochMs, timeZone));
	return parseTimestamp(
		`${new Date(utcMs).toISOString().slice(0, 19)}.${fraction.slice(0, 6).padEnd(6, '0')}Z`,
	);
}

function writtenOffsetMs(zone: string): number {
	if (zone.toUpperCase() === 'Z') return 0;
	const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(-2))];
	return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/** How far a zone is ahead of UTC when its clocks show `shownMs` (read as if it were UTC). */
function offsetMs(shownMs: number, timeZone: string): number {
	const first = shownMs - aheadAtMs(shownMs, timeZone);
	return aheadAtMs(first, timeZone);
}

function aheadAtMs(utcMs: number, timeZone: string): number {
	const shown = new Intl.DateTimeFormat('en-CA', {
		timeZone,
		hourCycle: 'h23',
		year: 'numeric',
		month: '2-digit',
		day: '2-digit',
		hour: '2-digit',
		minute: '2-digit',
		second: '2-digit',
	}).formatToParts(utcMs);
	const of = (type: string) => shown.find((part) => part.type === type)?.value ?? '00';
	return (
		Date.parse(
			`${of('year').padStart(4, '0')}-${of('month')}-${of('day')}T${of('hour')}:${of('minute')}:${of('second')}Z`,
		) - utcMs
	);
}
