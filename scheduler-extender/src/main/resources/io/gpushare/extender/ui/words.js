// Formats of amounts, counts and ages, and the colours of namespaces.

const COLOURS = 8;

/** An amount of GiB in about four characters. */
export function amount(gib) {
  return gib >= 10 || Number.isInteger(gib) ? Math.round(gib).toLocaleString('en') : gib.toFixed(1);
}

export function percent(part, all) {
  return all === 0 ? '0 %' : `${Math.round((100 * part) / all)} %`;
}

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

export function age(since) {
  const seconds = Math.max(0, (Date.now() - Date.parse(since)) / 1000);
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86400)} d`;
}
