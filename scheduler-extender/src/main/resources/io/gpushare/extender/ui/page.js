// The page: its filters, and the parts that draw it.

import { html, nothing, render } from './lib/lit-html.js';
import { Details, get, Snapshot } from './snapshot.js';
import { NodeList } from './nodes.js';
import { Overview } from './map.js';
import { More, reasons } from './more.js';
import { age, amount, colour, colours, count, percent } from './words.js';

const $ = (id) => document.getElementById(id);

const STATES = {
  '': ['any', () => true],
  unusual: ['unhealthy, cordoned or over-committed', (node) => node.severity > 0],
  unhealthy: ['with an unhealthy card', (node) => node.cards.some((card) => card.unhealthy)],
  cordoned: ['with a cordoned card', (node) => node.cards.some((card) => card.cordoned)],
  whole: ['with a card taken whole', (node) => node.cards.some((card) => card.whole)],
  free: ['with free memory', (node) => node.free > 0],
  idle: ['without pods', (node) => node.allocated === 0],
};
const ORDERS = {
  name: ['by name', () => 0],
  unusual: ['unhealthy first', (a, b) => b.severity - a.severity],
  free: ['most free on one card', (a, b) => b.free - a.free],
  full: ['fullest', (a, b) => b.allocated / (b.size || 1) - a.allocated / (a.size || 1)],
};

const filter = { name: '', pod: '', namespace: '', model: '', state: '', order: 'name' };
// The names of the nodes with the pod of the filter; null without one.
let found = null;
let seeking = 0;
let shades = new Map();
let shown = 0;
// A small screen shows the cards first.
const opens = innerWidth > 640;
let marked = false;
let legendHasUsage = false;

const more = new More($('more'));
const details = new Details(() => {
  if (details.reportsUsage && !legendHasUsage) {
    legendHasUsage = true;
    draw();
  }
  list.soon();
  refreshDialog();
});
const list = new NodeList($('nodes'), details, (name) => openNode(name));
const overview = new Overview($('map'), (name) => list.reach(name));
const snapshot = new Snapshot(() => {
  draw();
  find();
});

const sought = () => filter.pod.trim().toLowerCase();

/** Finds the nodes of the pod: only the extender has the names of pods. */
async function find() {
  const pod = sought();
  if (!pod && !found) return;
  try {
    const nodes = pod ? new Set((await get(`find?pod=${encodeURIComponent(pod)}`)).nodes) : null;
    if (pod === sought()) {
      found = nodes;
      draw();
    }
  } catch {
    // The snapshot reports the error; its next change tries again.
  }
}

function seek(event) {
  filter.pod = event.target.value;
  clearTimeout(seeking);
  seeking = setTimeout(find, 200);
}

function openNode(name) {
  const node = snapshot.nodes.get(name);
  if (node) {
    details.refresh([node]);
    more.showNode(node, details.of(name));
  }
}

function refreshDialog() {
  const node = more.node && snapshot.nodes.get(more.node);
  if (node) {
    more.showNode(node, details.of(more.node));
  }
}

function filtered() {
  const [, matches] = STATES[filter.state];
  const part = filter.name.trim().toLowerCase();
  const nodes = [...snapshot.nodes.values()].filter((node) => (!part || node.name.toLowerCase().includes(part))
    && (!found || found.has(node.name))
    && (!filter.namespace || node.namespaces.has(filter.namespace))
    && (!filter.model || node.models.includes(filter.model))
    && matches(node));
  const [, order] = ORDERS[filter.order];
  return nodes.sort((a, b) => order(a, b) || (a.name < b.name ? -1 : 1));
}

function draw() {
  const totals = snapshot.totals();
  shades = colours(totals.namespaces, shades);
  const nodes = filtered();
  shown = nodes.length;
  drawTop(totals);
  drawWaiting();
  drawFilters(totals);
  overview.show(nodes);
  list.show(nodes, shades, sought());
  refreshDialog();
  if (snapshot.loaded && !marked) {
    marked = true;
    // Once it is on the screen: after the current frame.
    requestAnimationFrame(() => setTimeout(() => performance.mark('snapshot')));
  }
}

function drawTop(totals) {
  const state = snapshot.error ? ['lost', `No response: ${snapshot.error}. Retrying.`]
    : snapshot.unready ? ['lost', snapshot.unready]
      : snapshot.loaded ? ['live', 'Live'] : ['lost', 'Loading …'];
  const fact = (label, number, kind) => html`<div class=${`fact ${kind ?? ''} ${number ? '' : 'zero'}`}><dt>${label}</dt><dd>${number.toLocaleString('en')}</dd></div>`;
  render(html`
    <div class="title"><h1>GPU cards</h1><p class=${`status ${state[0]}`} role="status">${state[1]}</p></div>
    <div class="total">
      <p><b>${amount(totals.allocated)}</b> of ${amount(totals.size)} GiB allocated <span>(${percent(totals.allocated, totals.size)})</span></p>
      <div class="gauge" aria-hidden="true"><i .style=${`width:${totals.size ? (100 * totals.allocated) / totals.size : 0}%`}></i></div>
    </div>
    <dl>
      ${fact('nodes', snapshot.nodes.size)}${fact('cards', totals.cards)}${fact('shared', totals.shared)}${fact('whole', totals.whole)}${fact('free', totals.free)}
      ${fact('cordoned', totals.cordoned, 'warn')}${fact('unhealthy', totals.unhealthy, 'bad')}${fact('over-committed', totals.over, 'bad')}${fact('pods waiting', snapshot.waiting.count, 'warn')}
    </dl>`, $('top'));
}

function drawWaiting() {
  const { count: all, pods, demands } = snapshot.waiting;
  $('waiting').hidden = all === 0;
  const groups = new Map();
  for (const pod of pods) {
    const key = pod.fault ? `fault ${pod.fault}` : String(pod.demand ?? 'more');
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(pod);
  }
  const chip = (pod) => html`<button type="button" class="pod" @click=${() => more.showPod(pod.namespace, pod.name)}>${pod.namespace}/${pod.name} <i>${age(pod.created)}</i></button>`;
  render(html`<details .open=${opens}><summary><h2 id="waiting-title">${count(all, 'pod')} waiting for a card</h2></summary>
    <ul class="groups">${[...groups.values()].map((group) => {
      const [first] = group;
      const demand = demands[first.demand];
      return html`<li><div class="what">${first.fault
        ? html`<p><b>Invalid annotation</b>: ${first.fault}</p>`
        : demand ? html`<p>${demand.feasibleNodes > 0 ? html`Fits on <b>${count(demand.feasibleNodes, 'node')}</b> by its cards; requests ${demand.text}` : html`Requests <b>${demand.text}</b>`}</p>${reasons(demand.reasons)}`
          : html`<p>Requests something else: open it for details</p>`}</div>
        <p class="pods">${group.slice(0, 12).map(chip)}${group.length > 12 ? html`<span>and ${group.length - 12} more</span>` : nothing}</p></li>`;
    })}</ul>
    ${all > pods.length ? html`<p class="facts">The first ${pods.length} by priority and age, of ${all.toLocaleString('en')}.</p>` : nothing}</details>`, $('waiting'));
}

function choice(label, name, options) {
  return html`<label>${label}<select name=${name} @change=${change}>${options.map(([value, text]) => html`<option value=${value} .selected=${filter[name] === value}>${text}</option>`)}</select></label>`;
}

function change(event) {
  filter[event.target.name] = event.target.value;
  draw();
}

function drawFilters(totals) {
  const namespaces = [...totals.namespaces.keys()].sort();
  const models = [...totals.models.keys()].sort();
  const named = [...shades.keys()].sort((a, b) => (totals.namespaces.get(b) ?? 0) - (totals.namespaces.get(a) ?? 0));
  render(html`
    <label>Node<input name="name" type="search" autocomplete="off" spellcheck="false" placeholder="part of its name" .value=${filter.name} @input=${change}></label>
    <label>Pod<input name="pod" type="search" autocomplete="off" spellcheck="false" placeholder="part of its name" .value=${filter.pod} @input=${seek}></label>
    ${choice('Namespace', 'namespace', [['', 'all'], ...namespaces.map((name) => [name, name])])}
    ${choice('Kind', 'model', [['', 'all'], ...models.map((name) => [name, name])])}
    ${choice('State', 'state', Object.entries(STATES).map(([key, [text]]) => [key, text]))}
    ${choice('Order', 'order', Object.entries(ORDERS).map(([key, [text]]) => [key, text]))}
    <p class="found" role="status">${shown === snapshot.nodes.size ? count(shown, 'node') : `${shown.toLocaleString('en')} of ${count(snapshot.nodes.size, 'node')}`}${snapshot.plainNodes ? `, ${snapshot.plainNodes.toLocaleString('en')} without cards` : ''}</p>
    <p class="legend namespaces">${named.map((name) => html`<span><i class=${colour(shades, name)}></i>${name}</span>`)}${totals.namespaces.size > named.length ? html`<span><i class="other"></i>others</span>` : nothing}${details.reportsUsage ? html`<span><i class="k-used"></i>line: used</span><span><i class="k-over-limit"></i>over its limit</span>` : nothing}</p>`, $('filters'));
}

$('filters').addEventListener('submit', (event) => event.preventDefault());
addEventListener('keydown', (event) => {
  if (event.key === '/' && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName) && !$('more').open) {
    event.preventDefault();
    $('filters').querySelector('input').focus();
  }
});
// Usage changes without a change of allocation, and ages grow.
setInterval(() => {
  if (!document.hidden) {
    list.soon();
    drawWaiting();
  }
}, 10000);

draw();
snapshot.follow();
