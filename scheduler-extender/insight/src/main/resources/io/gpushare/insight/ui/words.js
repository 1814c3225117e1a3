// Formats of amounts, counts and ages, and the colours of namespaces.

const COLOURS = 8;

/** An amount of GiB that is allocated or free: whole, or with one decimal. */
export function amount(gib) {
  return Number.isInteger(gib) ? gib.toLocaleString('en') : gib.toFixed(1);
}

// Cards are sold in GiB: only amounts of many of them are in TiB.
const LEAST_TIB = 10000 * 2 ** 30;
const ONE_DECIMAL = { minimumFractionDigits: 1, maximumFractionDigits: 1 };

/** A measured amount, rounded as the command line does: whole MiB below 1 GiB, else GiB or TiB with one decimal. */
export function size(bytes) {
  const mib = Math.floor(bytes / 2 ** 20);
  if (mib < 1024) return `${mib} MiB`;
  return bytes < LEAST_TIB ? `${(mib / 1024).toLocaleString('en', ONE_DECIMAL)} GiB` : `${(mib / 2 ** 20).toLocaleString('en', ONE_DECIMAL)} TiB`;
}

/** A large amount for figures that are read at a glance: without decimals from 100 GiB up. */
export function brief(bytes) {
  return bytes < 100 * 2 ** 30 || bytes >= LEAST_TIB ? size(bytes) : `${Math.round(bytes / 2 ** 30).toLocaleString('en')} GiB`;
}

/** Rounded down, as `kubectl gpushare` does: 100 % is all of it. */
export function percent(part, all) {
  return all === 0 ? '0 %' : `${Math.floor((100 * part) / all)} %`;
}

/** A measured value with its unit, which may be unknown. */
export function measured(value, unit) {
  return value === undefined ? '–' : `${value}${unit}`;
}

/** A sum of measured amounts, which may be unknown, or known of a part only. */
export function sum(bytes, partly, zero = '0 MiB') {
  if (bytes === undefined || (partly && !bytes)) return 'unknown';
  return `${partly ? '≥ ' : ''}${bytes ? brief(bytes) : zero}`;
}

/** Whether the usage of a part of these pods is unknown. */
export const partly = (sums) => sums.measuredBytes < sums.allocatedBytes;

export function count(number, what) {
  return `${number.toLocaleString('en')} ${what}${number === 1 ? '' : 's'}`;
}

/** The colours of namespaces: the largest get one each and keep it, the others share one. */
export function colours(namespaces, before) {
  const most = [...namespaces].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])).slice(0, COLOURS).map(([name]) => name);
  const now = new Map();
  most.forEach((name) => before.has(name) && now.set(name, before.get(name)));
  const taken = new Set(now.values());
  const open = [...Array(COLOURS).keys()].filter((each) => !taken.has(each));
  most.filter((name) => !now.has(name)).sort().forEach((name) => now.set(name, open.shift()));
  return now;
}

/** The CSS class of a namespace's colour. */
export function colour(of, namespace) {
  return of.has(namespace) ? `c${of.get(namespace)}` : 'other';
}

/** A duration in its largest unit. */
export function duration(seconds) {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86400)} d`;
}

export function age(since) {
  return duration(Math.max(0, (Date.now() - Date.parse(since)) / 1000));
}
