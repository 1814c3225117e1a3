// The filters, and their place in the address of the page: a link to the page shows what its sender saw.

import { html, render } from './lib/lit-html.js';

/** What a node must have; with what is known of its usage, which may be nothing. */
const STATES = {
  '': ['any', () => true],
  unusual: ['unhealthy, cordoned or over-committed', (node) => node.severity > 0],
  over: ['with a pod over its limit', (node, waste) => waste?.over],
  idle: ['with an idle pod', (node, waste) => waste?.idle],
  unused: ['with allocated, unused memory', (node, waste) => waste?.unusedBytes > 0],
  unusable: ['with unusable free memory', (node, waste) => waste?.unusable],
  unhealthy: ['with an unhealthy card', (node) => node.cards.some((card) => card.unhealthy)],
  cordoned: ['with a cordoned, held or tainted card', (node) => node.cards.some((card) => card.cordoned)],
  overcommitted: ['with an over-committed card', (node) => node.cards.some((card) => card.over)],
  whole: ['with a card taken whole', (node) => node.cards.some((card) => card.whole)],
  shared: ['with a shared card', (node) => node.cards.some((card) => !card.whole && card.allocated > 0)],
  free: ['with free memory', (node) => node.free > 0],
  allocated: ['with pods', (node) => node.allocated > 0],
  empty: ['without pods', (node) => node.allocated === 0],
};
const ORDERS = {
  name: ['by name', () => 0],
  waste: ['most unused', (a, b, waste) => (waste.of(b.name)?.unusedBytes ?? -1) - (waste.of(a.name)?.unusedBytes ?? -1)],
  use: ['most used', (a, b, waste) => (waste.of(b.name)?.usedBytes ?? -1) - (waste.of(a.name)?.usedBytes ?? -1)],
  unusual: ['unhealthy first', (a, b) => b.severity - a.severity],
  free: ['most free on one card', (a, b) => b.free - a.free],
  full: ['fullest', (a, b) => b.allocated / (b.size || 1) - a.allocated / (a.size || 1)],
};
const NONE = { name: '', pod: '', namespace: '', model: '', state: '', order: 'name' };

export class Filters {
  values = { ...NONE };
  #changed;
  #typing = 0;

  /** @param changed called after each change */
  constructor(changed) {
    this.#changed = changed;
    this.#read();
    addEventListener('hashchange', () => { this.#read(); changed(); });
  }

  /** Takes from the address what is understood. */
  #read() {
    const given = new URLSearchParams(location.hash.slice(1));
    const own = (all, key) => Object.hasOwn(all, key) ? key : undefined;
    this.values = {
      ...NONE,
      ...Object.fromEntries(['name', 'pod', 'namespace', 'model'].filter((key) => given.has(key)).map((key) => [key, given.get(key).slice(0, 300)])),
      state: own(STATES, given.get('state')) ?? '',
      order: own(ORDERS, given.get('order')) ?? 'name',
    };
  }

  /** The address with these filters instead of the present ones. */
  static link(values) {
    return `#${new URLSearchParams(Object.entries(values).filter(([key, value]) => value && value !== NONE[key]))}`;
  }

  set(values) {
    this.values = { ...this.values, ...values };
    history.replaceState(null, '', Filters.link(this.values));
    this.#changed();
  }

  clear() {
    this.set({ ...NONE, order: this.values.order });
  }

  /** The number of filters that hide nodes. */
  get active() {
    return Object.entries(this.values).filter(([key, value]) => key !== 'order' && value !== NONE[key]).length;
  }

  /** The part of a pod's name to look for. */
  get sought() {
    return this.values.pod.trim().toLowerCase();
  }

  /** The nodes that match, in order. */
  apply(nodes, found, waste) {
    const { name, namespace, model, state, order } = this.values;
    const part = name.trim().toLowerCase();
    const [, matches] = STATES[state];
    const [, compare] = ORDERS[order];
    return nodes.filter((node) => (!part || node.name.toLowerCase().includes(part))
        && (!found || found.has(node.name))
        && (!namespace || node.namespaces.has(namespace))
        && (!model || node.models.includes(model))
        && matches(node, waste.of(node.name)))
      .sort((a, b) => compare(a, b, waste) || (a.name < b.name ? -1 : 1));
  }

  #choice(label, key, options) {
    return html`<label>${label}<select name=${key} @change=${(event) => this.set({ [key]: event.target.value })}>${options.map(([value, text]) => html`<option value=${value} .selected=${this.values[key] === value}>${text}</option>`)}</select></label>`;
  }

  #text(label, key, later) {
    return html`<label>${label}<input name=${key} type="search" autocomplete="off" spellcheck="false" placeholder="part of its name" .value=${this.values[key]} @input=${(event) => {
      clearTimeout(this.#typing);
      this.#typing = setTimeout(() => this.set({ [key]: event.target.value }), later);
    }}></label>`;
  }

  /** Draws the form, with what else belongs there. */
  draw(form, totals, more) {
    const sorted = (of, chosen) => [...new Set([...of.keys(), ...(chosen ? [chosen] : [])])].sort().map((name) => [name, name]);
    const named = (all) => Object.entries(all).map(([key, [text]]) => [key, text]);
    render(html`
      <details class="fold" .open=${innerWidth > 640 || form.querySelector('details')?.open === true}><summary>Filters${this.active ? html` <b>${`${this.active} active`}</b>` : ''}</summary>
        <div class="fields">
          ${this.#text('Node', 'name', 0)}
          ${this.#text('Pod', 'pod', 200)}
          ${this.#choice('Namespace', 'namespace', [['', 'all'], ...sorted(totals.namespaces, this.values.namespace)])}
          ${this.#choice('Kind', 'model', [['', 'all'], ...sorted(totals.models, this.values.model)])}
          ${this.#choice('State', 'state', named(STATES))}
          ${this.#choice('Order', 'order', named(ORDERS))}
        </div>
      </details>
      ${more}`, form);
  }
}
