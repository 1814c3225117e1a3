// The list of nodes. Only tiles on the screen are in the document: the height of a tile follows from its cards.

import { html, nothing, render } from './lib/lit-html.js';
import { repeat } from './lib/directives/repeat.js';
import { allocated, allocation, amount, colour, duration, share as shared, size } from './words.js';

const HEAD = 52;
const CARD = 26;
const FOOT = 14;
const GAP = 12;
const LEAST = 330;
// A narrower share of a card, in percent, does not show its pod's name.
const NAMED = 18;
// A pod that has not computed for so many seconds is idle, as for the extender.
const IDLE = 1800;

const height = (node) => HEAD + CARD * Math.max(1, node.cards.length) + FOOT;

/** The unusual states of a card, in words. */
export function states(card) {
  return [
    card.unhealthy && `unhealthy: ${card.unhealthy}`,
    card.held ? 'held while pods are moved away' : card.inUseBy ? `in use by ${card.inUseBy}` : card.taint ? `tainted: ${card.taint}` : card.cordoned && 'cordoned',
    card.foreign > 0 && `${size(card.foreign)} in use that is not allocated`,
    card.over && 'over-committed',
    card.whole && 'taken whole',
  ].filter(Boolean);
}

function spoken(card, pods) {
  const who = pods?.map((pod) => `${pod.namespace}/${pod.name} ${pod.whole ? 'whole' : shared(pod.size)}${pod.used === undefined ? '' : `, ${size(pod.used)} used`}`)
    ?? card.shares.map((share) => `${share.namespace} ${shared(share.amount)}`);
  const cores = card.cores === undefined ? [] : [`${card.cores}% of the cores`];
  return [`Card ${card.index}: ${allocated(card)}`, ...cores, ...states(card), ...who].join(', ');
}

/** The shares of a card, with pods' names where they are known. */
function shares(card, details, unit) {
  const pods = details?.pods;
  if (!pods || pods.length !== card.shares.length) {
    return card.shares.map((share) => ({ namespace: share.namespace, size: share.amount, name: '' }));
  }
  return pods.map((pod) => ({ namespace: pod.namespace, name: pod.name, whole: pod.whole, size: pod.units * unit, used: pod.usedBytes, notStarted: pod.notStarted, idle: pod.idleSeconds >= IDLE ? pod.idleSeconds : 0 }));
}

function segment(share, card, view) {
  const width = card.size === 0 ? 0 : Math.min(100, (100 * (share.whole || card.whole ? card.size : share.size)) / card.size);
  const used = share.used === undefined ? null : share.used / 2 ** 30;
  const title = `${share.namespace}${share.name ? `/${share.name}` : ''}: ${shared(share.size)}${used === null ? '' : `, ${size(share.used)} used${!share.whole && used > share.size ? ': over its limit' : ''}`}${share.idle ? `, idle for ${duration(share.idle)}` : ''}${share.notStarted ? `: ${share.notStarted}` : ''}`;
  const sought = view.sought && share.name && `${share.namespace}/${share.name}`.includes(view.sought);
  const dim = (view.namespace && view.namespace !== share.namespace) || (view.sought && share.name && !sought);
  return html`<span class="share ${colour(view.colours, share.namespace)} ${sought ? 'sought' : ''} ${dim ? 'dim' : ''}" .style=${`width:${width}%`} title=${title}
    >${width < NAMED ? nothing : html`<span class="who">${share.notStarted ? '! ' : share.idle ? 'idle: ' : ''}${share.name}</span>`}${used === null ? nothing : html`<i class=${!share.whole && used > share.size ? 'used over-limit' : 'used'} .style=${`width:${Math.min(100, (100 * used) / Math.max(share.size, 0.01))}%`}></i>`}</span>`;
}

function bar(card, details, unit, view) {
  const parts = shares(card, details, unit);
  const kind = [card.unhealthy && 'unhealthy', card.cordoned && 'cordoned', card.whole && 'whole', card.over && 'over'].filter(Boolean).join(' ');
  const mark = card.unhealthy ? `✕ ${card.unhealthy}` : card.over ? '! over' : card.held ? '∥ held' : card.inUseBy ? '∥ in use' : card.foreign > 0 ? '+ used' : card.taint ? '∥ tainted' : card.cordoned ? '∥ cordoned' : card.whole ? 'whole' : '';
  return html`<div class="card ${kind}">
    <span class="index" aria-hidden="true">${card.index}</span>
    <div class="bar" role="img" aria-label=${spoken(card, details ? parts : undefined)}>${parts.map((share) => segment(share, card, view))}</div>
    <span class="figure" aria-hidden="true">${mark ? html`<b class="mark">${mark}</b>` : html`${amount(card.allocated)}<i>/${amount(card.size)} GiB</i>`}</span>
  </div>`;
}

/** MIG instances are counted together: their profiles are longer than a tile is wide, and its title has them. */
const brief = (model) => (/ MIG \S+$/.test(model) ? 'MIG' : model);

/** The kinds of a node's cards, with the number of each. */
function models(node, named) {
  const counts = new Map();
  node.cards.forEach((card) => counts.set(named(card.model), (counts.get(named(card.model)) ?? 0) + 1));
  return [...counts].map(([kind, number]) => `${number} × ${kind}`).join(', ');
}

function tile(node, details, view) {
  const [some, all] = allocation(node);
  const kinds = models(node, (model) => model);
  return html`
    <div class="head">
      <button type="button" class="name" data-node=${node.name} tabindex=${view.current === node.name ? 0 : -1} aria-haspopup="dialog"
        aria-label=${`${node.name}, ${kinds || 'no cards'}, ${allocated(node)} allocated${node.claims ? ', serves claims' : ''}${node.severity ? ', needs attention' : ''}`}>${node.name}</button>
      <span class="sum" aria-hidden="true"><b>${some}</b>/${all}</span>
      <span class="kind" title=${node.unusable || kinds}>${node.claims ? html`<b class="claims" title="Pods get its cards by resource claims">claims</b>` : nothing}${node.unusable || models(node, brief)}</span>
    </div>
    ${node.cards.length ? node.cards.map((card) => bar(card, details?.cards.get(card.index), node.unit, view)) : html`<p class="none">no cards</p>`}`;
}

export class NodeList {
  #list;
  #details;
  #open;
  #rows = [];
  #tops = [];
  #nodes = [];
  #columns = 1;
  #width = 0;
  #current = '';
  #view = { colours: new Map(), sought: '', namespace: '' };
  #waits = false;

  constructor(list, details, open) {
    this.#list = list;
    this.#details = details;
    this.#open = open;
    addEventListener('scroll', () => this.soon(), { passive: true });
    new ResizeObserver(() => this.#resized()).observe(list);
    list.addEventListener('click', (event) => {
      const at = event.target.closest('[data-tile]');
      if (at) {
        this.#current = at.dataset.tile;
        this.#open(at.dataset.tile);
      }
    });
    list.addEventListener('keydown', (event) => this.#key(event));
    list.addEventListener('focusin', (event) => {
      this.#current = event.target.dataset.node ?? this.#current;
      this.soon();
    });
  }

  /** Shows these nodes in this order; marks pods whose names contain the sought text, and dims other namespaces. */
  show(nodes, view) {
    this.#nodes = nodes;
    this.#view = view;
    if (!nodes.some((node) => node.name === this.#current)) {
      this.#current = nodes[0]?.name ?? '';
    }
    this.#lay();
  }

  soon() {
    if (!this.#waits) {
      this.#waits = true;
      requestAnimationFrame(() => {
        this.#waits = false;
        this.draw();
      });
    }
  }

  #resized() {
    const width = this.#list.clientWidth;
    if (width !== this.#width) {
      this.#width = width;
      this.#lay();
    }
  }

  #lay() {
    this.#columns = Math.max(1, Math.floor((this.#list.clientWidth + GAP) / (LEAST + GAP)));
    this.#rows = [];
    this.#tops = [];
    let top = 0;
    for (let i = 0; i < this.#nodes.length; i += this.#columns) {
      const row = this.#nodes.slice(i, i + this.#columns);
      this.#rows.push(row);
      this.#tops.push(top);
      top += Math.max(...row.map(height)) + GAP;
    }
    this.#list.style.height = `${top}px`;
    this.draw();
  }

  /** The first row that ends below that position. */
  #rowAt(place) {
    let low = 0;
    let high = this.#tops.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#tops[middle] <= place) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  draw() {
    const above = this.#list.getBoundingClientRect().top;
    const from = Math.max(0, this.#rowAt(-above - 300));
    const to = Math.min(this.#rows.length, this.#rowAt(innerHeight - above + 300) + 1);
    const shown = [];
    const width = (this.#list.clientWidth - GAP * (this.#columns - 1)) / this.#columns;
    const put = (row, column) => shown.push({ node: this.#rows[row][column], row, column, place: row * this.#columns + column + 1 });
    for (let row = from; row < to; row++) {
      this.#rows[row].forEach((_, column) => put(row, column));
    }
    // The node with the keyboard focus stays in the document, wherever the pointer scrolled.
    const kept = this.#nodes.findIndex((node) => node.name === this.#current);
    if (kept >= 0 && !shown.some((each) => each.node.name === this.#current)) {
      put(Math.floor(kept / this.#columns), kept % this.#columns);
    }
    this.#details.refresh(shown.map((each) => each.node));
    const view = { current: this.#current, ...this.#view };
    render(repeat(shown, (each) => each.node.name, (each) => html`<li class=${`tile severity-${each.node.severity}`} data-tile=${each.node.name}
      aria-setsize=${this.#nodes.length} aria-posinset=${each.place}
      .style=${`transform:translate(${each.column * (width + GAP)}px,${this.#tops[each.row]}px);width:${width}px;height:${height(each.node)}px`}
      >${tile(each.node, this.#details.of(each.node.name), view)}</li>`), this.#list);
  }

  #key(event) {
    const at = this.#nodes.findIndex((node) => node.name === this.#current);
    const page = this.#columns * Math.max(1, Math.floor(innerHeight / 200));
    const steps = {
      ArrowRight: 1, ArrowLeft: -1, ArrowDown: this.#columns, ArrowUp: -this.#columns,
      PageDown: page, PageUp: -page, Home: -this.#nodes.length, End: this.#nodes.length,
    };
    const step = steps[event.key];
    if (step === undefined || at < 0 || event.altKey || event.ctrlKey || event.metaKey) {
      return;
    }
    event.preventDefault();
    this.reach(this.#nodes[Math.min(this.#nodes.length - 1, Math.max(0, at + step))].name);
  }

  /** The name of the first node; empty for none. */
  get first() {
    return this.#nodes[0]?.name ?? '';
  }

  /** Scrolls to a node and gives it the keyboard focus. */
  reach(name) {
    const place = this.#nodes.findIndex((node) => node.name === name);
    if (place < 0) {
      return;
    }
    this.#current = name;
    const row = Math.floor(place / this.#columns);
    const top = this.#list.getBoundingClientRect().top + scrollY + this.#tops[row];
    if (top < scrollY + 80 || top + height(this.#nodes[place]) > scrollY + innerHeight - 20) {
      scrollTo({ top: top - innerHeight / 3 });
    }
    this.draw();
    this.#list.querySelector(`[data-node="${CSS.escape(name)}"]`)?.focus({ preventScroll: true });
  }
}

