// The page: what is shown, by which filters, and who draws it.

import { html, nothing, render } from './lib/lit-html.js';
import { ask, Details, Picture } from './picture.js';
import { NodeList } from './nodes.js';
import { Overview } from './map.js';
import { More, reasons } from './more.js';
import { age, amount, colour, colours, count, percent } from './words.js';

const $ = (id) => document.getElementById(id);

const STATES = {
  '': ['any', () => true],
  trouble: ['ill, cordoned or over', (node) => node.trouble > 0],
  ill: ['with an ill card', (node) => node.cards.some((card) => card.ill)],
  cordoned: ['with a cordoned card', (node) => node.cards.some((card) => card.cordoned)],
  whole: ['with a whole-taken card', (node) => node.cards.some((card) => card.whole)],
  room: ['with room', (node) => node.free > 0],
  idle: ['with nothing on it', (node) => node.given === 0],
};
const ORDERS = {
  name: ['by name', () => 0],
  trouble: ['troubles first', (a, b) => b.trouble - a.trouble],
  room: ['most room on one card', (a, b) => b.free - a.free],
  full: ['fullest', (a, b) => b.given / (b.size || 1) - a.given / (a.size || 1)],
};

const filter = { name: '', pod: '', namespace: '', model: '', state: '', order: 'name' };
// The nodes with the pod that is looked for; null while none is.
let found = null;
let seeking = 0;
let shades = new Map();
let shown = 0;
// On a small screen the cards come first.
const opens = innerWidth > 640;
let marked = false;
let legendTellsUse = false;

const more = new More($('more'));
const details = new Details(() => {
  if (details.tellsUse && !legendTellsUse) {
    legendTellsUse = true;
    draw();
  }
  list.soon();
  refreshDialog();
});
const list = new NodeList($('nodes'), details, (name) => openNode(name));
const overview = new Overview($('map'), (name) => list.reach(name));
const picture = new Picture(() => {
  draw();
  find();
});

const sought = () => filter.pod.trim().toLowerCase();

/** Finds the pod anew: where pods are is known to the extender only. */
async function find() {
  const pod = sought();
  if (!pod && !found) return;
  try {
    const nodes = pod ? new Set((await ask(`find?pod=${encodeURIComponent(pod)}`)).nodes) : null;
    if (pod === sought()) {
      found = nodes;
      draw();
    }
  } catch {
    // The picture says that nobody answers; it asks again with its next change.
  }
}

function seek(event) {
  filter.pod = event.target.value;
  clearTimeout(seeking);
  seeking = setTimeout(find, 200);
}

function openNode(name) {
  const node = picture.nodes.get(name);
  if (node) {
    details.want([node]);
    more.showNode(node, details.of(name));
  }
}

function refreshDialog() {
  const node = more.node && picture.nodes.get(more.node);
  if (node) {
    more.showNode(node, details.of(more.node));
  }
}

function wanted() {
  const [, fits] = STATES[filter.state];
  const part = filter.name.trim().toLowerCase();
  const nodes = [...picture.nodes.values()].filter((node) => (!part || node.name.toLowerCase().includes(part))
    && (!found || found.has(node.name))
    && (!filter.namespace || node.namespaces.has(filter.namespace))
    && (!filter.model || node.models.includes(filter.model))
    && fits(node));
  const [, order] = ORDERS[filter.order];
  return nodes.sort((a, b) => order(a, b) || (a.name < b.name ? -1 : 1));
}

function draw() {
  const totals = picture.totals();
  shades = colours(totals.namespaces, shades);
  const nodes = wanted();
  shown = nodes.length;
  drawTop(totals);
  drawWaiting();
  drawFilters(totals);
  overview.show(nodes);
  list.show(nodes, shades, sought());
  refreshDialog();
  if (picture.told && !marked) {
    marked = true;
    // When it is on the screen: after the frame that is being made.
    requestAnimationFrame(() => setTimeout(() => performance.mark('picture')));
  }
}

function drawTop(totals) {
  const state = picture.error ? ['lost', `No answer: ${picture.error}. Trying again.`]
    : picture.unready ? ['lost', picture.unready]
      : picture.told ? ['live', 'Live'] : ['lost', 'Loading …'];
  const fact = (label, number, kind) => html`<div class=${`fact ${kind ?? ''} ${number ? '' : 'zero'}`}><dt>${label}</dt><dd>${number.toLocaleString('en')}</dd></div>`;
  render(html`
    <div class="title"><h1>GPU cards</h1><p class=${`status ${state[0]}`} role="status">${state[1]}</p></div>
    <div class="total">
      <p><b>${amount(totals.given)}</b> of ${amount(totals.size)} GiB allocated <span>(${percent(totals.given, totals.size)})</span></p>
      <div class="gauge" aria-hidden="true"><i .style=${`width:${totals.size ? (100 * totals.given) / totals.size : 0}%`}></i></div>
    </div>
    <dl>
      ${fact('nodes', picture.nodes.size)}${fact('cards', totals.cards)}${fact('shared', totals.shared)}${fact('whole', totals.whole)}${fact('free', totals.free)}
      ${fact('cordoned', totals.cordoned, 'warn')}${fact('ill', totals.ill, 'bad')}${fact('over-allocated', totals.over, 'bad')}${fact('pods waiting', picture.waiting.count, 'warn')}
    </dl>`, $('top'));
}

function drawWaiting() {
  const { count: all, pods, demands } = picture.waiting;
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
        ? html`<p><b>Written wrong</b>: ${first.fault}</p>`
        : demand ? html`<p>${demand.feasibleNodes > 0 ? html`Fits on <b>${count(demand.feasibleNodes, 'node')}</b> as far as cards go; asks for ${demand.text}` : html`Asks for <b>${demand.text}</b>`}</p>${reasons(demand.reasons)}`
          : html`<p>Asks for something else: open it to see</p>`}</div>
        <p class="pods">${group.slice(0, 12).map(chip)}${group.length > 12 ? html`<span>and ${group.length - 12} more</span>` : nothing}</p></li>`;
    })}</ul>
    ${all > pods.length ? html`<p class="facts">The ${pods.length} that matter most, of ${all.toLocaleString('en')}.</p>` : nothing}</details>`, $('waiting'));
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
    <p class="found" role="status">${shown === picture.nodes.size ? count(shown, 'node') : `${shown.toLocaleString('en')} of ${count(picture.nodes.size, 'node')}`}${picture.plainNodes ? `, ${picture.plainNodes.toLocaleString('en')} without cards` : ''}</p>
    <p class="legend namespaces">${named.map((name) => html`<span><i class=${colour(shades, name)}></i>${name}</span>`)}${totals.namespaces.size > named.length ? html`<span><i class="other"></i>others</span>` : nothing}${details.tellsUse ? html`<span><i class="k-used"></i>line: really used</span><span><i class="k-much"></i>more than given</span>` : nothing}</p>`, $('filters'));
}

$('filters').addEventListener('submit', (event) => event.preventDefault());
addEventListener('keydown', (event) => {
  if (event.key === '/' && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName) && !$('more').open) {
    event.preventDefault();
    $('filters').querySelector('input').focus();
  }
});
// What is used changes without a change of what is allocated, and ages go on.
setInterval(() => {
  if (!document.hidden) {
    list.soon();
    drawWaiting();
  }
}, 10000);

draw();
picture.follow();
