// The last snapshot of the cluster. Fetches the changes every second while the page is visible.

import { headers, renew } from './token.js';

const VIEW = '../gpushare-scheduler/v1/';
const PERIOD = 1000;
const WASTE_PERIOD = 15000;
const TIMEOUT = 15000;

/** Fetches a response of the view; throws an Error with a sentence for users. */
export async function get(query) {
  let response = await ask(query);
  if (response.status === 401) {
    await renew();
    response = await ask(query);
  }
  if (!response.ok) {
    const body = await response.json().catch(() => ({}));
    throw new Error(body.error ?? `status ${response.status}`);
  }
  return response.json();
}

function ask(query) {
  return fetch(VIEW + query, { headers: headers(), signal: AbortSignal.timeout(TIMEOUT) });
}

/** A card as the page uses it: names instead of indices, amounts in GiB. */
function card(sent, place, unit, response, offered) {
  const shares = [];
  for (let i = 0; i < sent.shares.length; i += 2) {
    shares.push({ namespace: response.namespaces[sent.shares[i]], amount: sent.shares[i + 1] * unit });
  }
  const allocated = shares.reduce((sum, share) => sum + share.amount, 0);
  return {
    index: sent.index ?? place,
    model: response.models[sent.model],
    size: sent.units * unit,
    allocated: sent.whole ? sent.units * unit : allocated,
    whole: sent.whole === true,
    unhealthy: sent.unhealthy ?? '',
    cordoned: sent.cordoned === true || sent.held === true || typeof sent.inUseBy === 'string' || typeof sent.taint === 'string',
    // Whether its node takes new pods.
    offered,
    held: sent.held === true,
    inUseBy: typeof sent.inUseBy === 'string' ? sent.inUseBy : '',
    taint: typeof sent.taint === 'string' ? sent.taint : '',
    // In GiB.
    foreign: Number.isSafeInteger(sent.foreignBytes) ? sent.foreignBytes / 2 ** 30 : 0,
    over: sent.overAllocated === true,
    cores: sent.allocatedCoresPercent,
    shares,
  };
}

function node(sent, response) {
  const unit = sent.unitMiB / 1024;
  const cards = sent.cards.map((each, place) => card(each, place, unit, response, !sent.unusable));
  return {
    name: sent.name,
    unit,
    unusable: sent.unusable ?? '',
    claims: sent.servesClaims === true,
    cards,
    size: cards.reduce((sum, each) => sum + each.size, 0),
    allocated: cards.reduce((sum, each) => sum + each.allocated, 0),
    free: cards.reduce((most, each) => Math.max(most, free(each)), 0),
    models: [...new Set(cards.map((each) => each.model))],
    namespaces: new Set(cards.flatMap((each) => each.shares.map((share) => share.namespace))),
    severity: sent.unusable ? 2 : cards.some((each) => each.unhealthy || each.over) ? 2 : cards.some((each) => each.cordoned) ? 1 : 0,
  };
}

/** The free memory of a card for new pods. */
export function free(of) {
  return !of.offered || of.whole || of.unhealthy || of.cordoned ? 0 : Math.max(0, of.size - of.allocated);
}

export class Snapshot {
  nodes = new Map();
  waiting = { count: 0, pods: [], demands: [] };
  plainNodes = 0;
  unready = '';
  // The address of Grafana, which ends with a slash; empty for none.
  grafana = '';
  error = '';
  // The time of the last response.
  heard = 0;
  loaded = false;
  #revision = '';
  #changed;

  /** @param changed called after each change */
  constructor(changed) {
    this.#changed = changed;
  }

  async follow() {
    for (;;) {
      const began = performance.now();
      if (!document.hidden) {
        await this.#refresh();
      }
      await new Promise((then) => {
        const timer = setTimeout(then, Math.max(100, PERIOD - (performance.now() - began)));
        document.addEventListener('visibilitychange', () => { clearTimeout(timer); then(); }, { once: true });
      });
    }
  }

  async #refresh() {
    try {
      this.#apply(await get(`cluster?since=${this.#revision}`));
    } catch (problem) {
      const sentence = problem instanceof Error ? problem.message : String(problem);
      if (this.error !== sentence) {
        this.error = sentence;
        this.#changed();
      }
    }
  }

  #apply(response) {
    const quiet = !response.full && response.nodes.length === 0 && response.gone.length === 0 && !response.waiting
      && !this.error && this.unready === (response.unready ?? '') && this.plainNodes === response.plainNodes;
    this.#revision = response.revision;
    this.heard = Date.now();
    if (quiet) {
      return;
    }
    this.error = '';
    this.unready = response.unready ?? '';
    this.plainNodes = response.plainNodes;
    this.loaded = true;
    if (response.full) {
      this.grafana = response.grafana ?? '';
      this.nodes.clear();
    }
    response.gone.forEach((name) => this.nodes.delete(name));
    for (const each of response.nodes) {
      this.nodes.set(each.name, node(each, response));
    }
    if (response.waiting) {
      this.waiting = response.waiting;
    }
    this.#changed();
  }

  /** Sums over all cards. */
  totals() {
    const sum = { size: 0, allocated: 0, cards: 0, free: 0, shared: 0, whole: 0, unhealthy: 0, cordoned: 0, over: 0, namespaces: new Map(), models: new Map() };
    for (const each of this.nodes.values()) {
      sum.size += each.size;
      sum.allocated += each.allocated;
      for (const one of each.cards) {
        sum.cards += 1;
        sum.models.set(one.model, (sum.models.get(one.model) ?? 0) + 1);
        if (one.unhealthy) sum.unhealthy += 1;
        if (one.cordoned) sum.cordoned += 1;
        if (one.over) sum.over += 1;
        if (one.whole) sum.whole += 1;
        else if (one.allocated > 0) sum.shared += 1;
        else if (one.offered && !one.unhealthy && !one.cordoned) sum.free += 1;
        for (const share of one.shares) {
          sum.namespaces.set(share.namespace, (sum.namespaces.get(share.namespace) ?? 0) + share.amount);
        }
      }
    }
    return sum;
  }
}

/** The pods of nodes by name and their usage, fetched for the nodes on the screen. */
export class Details {
  // Whether any node reports usage.
  reportsUsage = false;
  #known = new Map();
  #pending = new Map();
  #changed;

  constructor(changed) {
    this.#changed = changed;
  }

  /** The details of a node; undefined until they are fetched. They may be older than the snapshot. */
  of(name) {
    return this.#known.get(name)?.details;
  }

  /** Fetches the details of these nodes unless they are as new as the snapshot and at most ten seconds old. */
  refresh(nodes) {
    const now = performance.now();
    const missing = nodes.filter((each) => {
      const known = this.#known.get(each.name);
      return this.#pending.get(each.name) !== each && (known?.node !== each || now - known.at > 10000);
    });
    for (let i = 0; i < missing.length; i += 25) {
      this.#fetch(missing.slice(i, i + 25));
    }
  }

  async #fetch(nodes) {
    nodes.forEach((each) => this.#pending.set(each.name, each));
    try {
      const response = await get(`nodes?names=${nodes.map((each) => encodeURIComponent(each.name)).join(',')}`);
      const sent = new Map(response.nodes.map((each) => [each.name, each]));
      for (const each of nodes) {
        const cards = new Map((sent.get(each.name)?.cards ?? []).map((one) => [one.index, one]));
        this.reportsUsage ||= [...cards.values()].some((one) => one.usedBytes !== undefined);
        this.#known.set(each.name, { node: each, at: performance.now(), details: { address: sent.get(each.name)?.address, cards } });
      }
      if (this.#known.size > 2000) {
        this.#known.clear();
      }
      this.#changed();
    } catch {
      // The snapshot reports the error; the next refresh fetches these.
    } finally {
      nodes.forEach((each) => this.#pending.get(each.name) === each && this.#pending.delete(each.name));
    }
  }
}

/** The last report of what is wasted; empty until it is known. */
export class Waste {
  report = null;
  #byNode = new Map();
  #changed;

  constructor(changed) {
    this.#changed = changed;
  }

  /** What is known of a node's usage; undefined for nothing. */
  of(name) {
    return this.#byNode.get(name);
  }

  /** Fetches at once and then in intervals, while the page is visible. */
  async follow() {
    for (;;) {
      if (!document.hidden) {
        await this.#refresh();
      }
      await new Promise((then) => { setTimeout(then, this.report ? WASTE_PERIOD : 2000); });
    }
  }

  async #refresh() {
    try {
      const report = await get(`waste?since=${encodeURIComponent(this.report?.at ?? '')}`);
      if (report.at && report.at !== this.report?.at) {
        this.report = report;
        this.#byNode = new Map(report.byNode.map((node) => [node.name, node]));
        this.#changed();
      }
    } catch {
      // The snapshot reports the error; the next refresh fetches it.
    }
  }
}
