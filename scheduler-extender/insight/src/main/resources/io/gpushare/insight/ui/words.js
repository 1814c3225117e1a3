// Formats of amounts, counts and ages, and the colours of namespaces.

const COLOURS = 8;

const GIB = 2 ** 30;

const figure = (mib, of) => (mib % of === 0 ? `${mib / of}` : (mib / of).toFixed(1));

/** The unit in which people read an amount, and its size in MiB. */
function scale(bytes) {
  return bytes < GIB ? ['MiB', 1] : ['GiB', 1024];
}

/** An amount of memory, as the command line writes it: whole MiB below 1 GiB, else GiB with one decimal unless it is whole. */
export function size(bytes) {
  const [unit, mib] = scale(bytes);
  return `${figure(Math.floor(bytes / 2 ** 20), mib)} ${unit}`;
}

/** What is allocated of a card, a node or the cluster and all of it, such as 37.8 and 190 GiB. */
export function allocation(of) {
  const [unit, mib] = scale(of.size * GIB);
  return [figure(of.allocated * 1024, mib), `${figure(of.size * 1024, mib)} ${unit}`];
}

/** The same in words. */
export const allocated = (of) => allocation(of).join(' of ');

/** The figure of an amount of GiB, where its unit is written beside it. */
export const amount = (gib) => figure(gib * 1024, 1024);

/** A share of a card, in GiB. */
export const share = (gib) => size(gib * GIB);

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
  return `${partly ? '≥ ' : ''}${bytes ? size(bytes) : zero}`;
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

/** The time of day of a measurement, as the reader's clock shows it. */
export const clock = (at) => new Date(at).toLocaleTimeString('en-GB');

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
