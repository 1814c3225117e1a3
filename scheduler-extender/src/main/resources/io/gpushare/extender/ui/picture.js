// The cluster as the extender last told it. Asks every second what has changed, while somebody looks.

const VIEW = '../gpushare-scheduler/v1/';
const EVERY = 1000;
const PATIENCE = 15000;

/** Fetches one answer of the view; throws an Error with a sentence for people. */
export async function ask(question) {
  const answer = await fetch(VIEW + question, { signal: AbortSignal.timeout(PATIENCE) });
  if (!answer.ok) {
    const body = await answer.json().catch(() => ({}));
    throw new Error(body.error ?? `status ${answer.status}`);
  }
  return answer.json();
}

/** A card as the page uses it: names for numbers, amounts in GiB. */
function card(told, place, unit, answer) {
  const shares = [];
  for (let i = 0; i < told.shares.length; i += 2) {
    shares.push({ namespace: answer.namespaces[told.shares[i]], amount: told.shares[i + 1] * unit });
  }
  const given = shares.reduce((sum, share) => sum + share.amount, 0);
  return {
    index: told.index ?? place,
    model: answer.models[told.model],
    size: told.units * unit,
    given: told.whole ? told.units * unit : given,
    whole: told.whole === true,
    ill: told.ill ?? '',
    cordoned: told.cordoned === true,
    over: told.overAllocated === true,
    shares,
  };
}

function node(told, answer) {
  const unit = told.unitMiB / 1024;
  const cards = told.cards.map((each, place) => card(each, place, unit, answer));
  return {
    name: told.name,
    unit,
    unusable: told.unusable ?? '',
    cards,
    size: cards.reduce((sum, each) => sum + each.size, 0),
    given: cards.reduce((sum, each) => sum + each.given, 0),
    free: cards.reduce((most, each) => Math.max(most, room(each)), 0),
    models: [...new Set(cards.map((each) => each.model))],
    namespaces: new Set(cards.flatMap((each) => each.shares.map((share) => share.namespace))),
    trouble: told.unusable ? 2 : cards.some((each) => each.ill || each.over) ? 2 : cards.some((each) => each.cordoned) ? 1 : 0,
  };
}

/** What a new pod could have of a card. */
export function room(of) {
  return of.whole || of.ill || of.cordoned ? 0 : Math.max(0, of.size - of.given);
}

export class Picture {
  nodes = new Map();
  waiting = { count: 0, pods: [], demands: [] };
  plainNodes = 0;
  unready = '';
  error = '';
  told = false;
  #revision = '';
  #changed;

  /** @param changed called when something is other than it was */
  constructor(changed) {
    this.#changed = changed;
  }

  async follow() {
    for (;;) {
      const began = performance.now();
      if (!document.hidden) {
        await this.#look();
      }
      await new Promise((then) => {
        const timer = setTimeout(then, Math.max(100, EVERY - (performance.now() - began)));
        document.addEventListener('visibilitychange', () => { clearTimeout(timer); then(); }, { once: true });
      });
    }
  }

  async #look() {
    try {
      this.#take(await ask(`cluster?since=${this.#revision}`));
    } catch (problem) {
      const sentence = problem instanceof Error ? problem.message : String(problem);
      if (this.error !== sentence) {
        this.error = sentence;
        this.#changed();
      }
    }
  }

  #take(answer) {
    const quiet = !answer.full && answer.nodes.length === 0 && answer.gone.length === 0 && !answer.waiting
      && !this.error && this.unready === (answer.unready ?? '') && this.plainNodes === answer.plainNodes;
    this.#revision = answer.revision;
    if (quiet) {
      return;
    }
    this.error = '';
    this.unready = answer.unready ?? '';
    this.plainNodes = answer.plainNodes;
    this.told = true;
    if (answer.full) {
      this.nodes.clear();
    }
    answer.gone.forEach((name) => this.nodes.delete(name));
    for (const each of answer.nodes) {
      this.nodes.set(each.name, node(each, answer));
    }
    if (answer.waiting) {
      this.waiting = answer.waiting;
    }
    this.#changed();
  }

  /** Sums over all cards. */
  totals() {
    const sum = { size: 0, given: 0, cards: 0, free: 0, shared: 0, whole: 0, ill: 0, cordoned: 0, over: 0, namespaces: new Map(), models: new Map() };
    for (const each of this.nodes.values()) {
      sum.size += each.size;
      sum.given += each.given;
      for (const one of each.cards) {
        sum.cards += 1;
        sum.models.set(one.model, (sum.models.get(one.model) ?? 0) + 1);
        if (one.ill) sum.ill += 1;
        if (one.cordoned) sum.cordoned += 1;
        if (one.over) sum.over += 1;
        if (one.whole) sum.whole += 1;
        else if (one.given > 0) sum.shared += 1;
        else if (!one.ill && !one.cordoned) sum.free += 1;
        for (const share of one.shares) {
          sum.namespaces.set(share.namespace, (sum.namespaces.get(share.namespace) ?? 0) + share.amount);
        }
      }
    }
    return sum;
  }
}

/** The pods of nodes by name and what is used, fetched for what is on the screen. */
export class Details {
  // Whether any node told what is used.
  tellsUse = false;
  #known = new Map();
  #asked = new Map();
  #changed;

  constructor(changed) {
    this.#changed = changed;
  }

  /** What is known of that node; undefined until it is told. It may be older than the picture. */
  of(name) {
    return this.#known.get(name)?.told;
  }

  /** Sees to it that these nodes' details are known, and not older than their picture or ten seconds. */
  want(nodes) {
    const now = performance.now();
    const missing = nodes.filter((each) => {
      const known = this.#known.get(each.name);
      return this.#asked.get(each.name) !== each && (known?.node !== each || now - known.at > 10000);
    });
    for (let i = 0; i < missing.length; i += 25) {
      this.#fetch(missing.slice(i, i + 25));
    }
  }

  async #fetch(nodes) {
    nodes.forEach((each) => this.#asked.set(each.name, each));
    try {
      const answer = await ask(`nodes?names=${nodes.map((each) => encodeURIComponent(each.name)).join(',')}`);
      const told = new Map(answer.nodes.map((each) => [each.name, each]));
      for (const each of nodes) {
        const cards = new Map((told.get(each.name)?.cards ?? []).map((one) => [one.index, one]));
        this.tellsUse ||= [...cards.values()].some((one) => one.usedBytes !== undefined);
        this.#known.set(each.name, { node: each, at: performance.now(), told: { address: told.get(each.name)?.address, cards } });
      }
      if (this.#known.size > 2000) {
        this.#known.clear();
      }
      this.#changed();
    } catch {
      // The picture says that nobody answers; these come with the next look.
    } finally {
      nodes.forEach((each) => this.#asked.get(each.name) === each && this.#asked.delete(each.name));
    }
  }
}
