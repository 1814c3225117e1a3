// The waiting pods by what they request, with the reasons and what helps.

import { html, nothing, render } from './lib/lit-html.js';
import { get } from './snapshot.js';
import { age, count } from './words.js';

const EXPLAINED = 5;
const PODS = 12;
// Until all is asked for, so that the cards are on the first screen: groups, and of each the kinds of cards.
const FIRST = 3;
const KINDS = 1;
const FRESH = 60000;

export class WaitingPods {
  #box;
  // By pod and demand in words: the explanation of one of its pods, and when it was fetched.
  #explained = new Map();
  // A small screen shows the cards first.
  #unfolded = innerWidth > 640;
  // The explanations come after the first view: they take the extender a while.
  explains = false;
  #all = false;

  constructor(box) {
    this.#box = box;
  }

  draw(waiting) {
    const { count: all, pods, demands } = waiting;
    this.#box.hidden = all === 0;
    if (all === 0) {
      return;
    }
    const groups = new Map();
    for (const pod of pods) {
      const key = pod.fault ? `fault ${pod.fault}` : `${pod.demand ?? 'more'} ${pod.group ? `${pod.namespace}/${pod.group}` : ''}`;
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(pod);
    }
    const list = [...groups.values()];
    if (this.explains && this.#unfolded && !document.hidden) {
      this.#explain(list.filter(([first]) => demands[first.demand]).slice(0, EXPLAINED), waiting);
    }
    render(html`<details .open=${this.#unfolded} @toggle=${(event) => {
      const opened = event.target.open && !this.#unfolded;
      this.#unfolded = event.target.open;
      if (opened) this.draw(waiting);
    }}><summary><h2 id="waiting-title">${count(all, 'pod')} waiting for a card</h2></summary>
      <ul class="groups" aria-label="Waiting pods">${list.slice(0, this.#all ? list.length : FIRST).map((group) => this.#group(group, demands[group[0].demand]))}</ul>
      <button type="button" class="more" @click=${() => {
        this.#all = !this.#all;
        this.draw(waiting);
      }}>${this.#all ? 'Less' : list.length > FIRST ? `All ${list.length} kinds of waiting pods, and what helps` : 'All reasons, and what helps'}</button>
      ${all > pods.length ? html`<p class="facts">The first ${pods.length} by priority and age, of ${all.toLocaleString('en')}.</p>` : nothing}</details>`, this.#box);
  }

  #group(group, demand) {
    const [first] = group;
    const why = demand && this.#explained.get(subject(first, demand))?.why;
    return html`<li><div class="what">${first.fault
      ? html`<p><b>Can’t be placed as it is written</b>: ${first.fault}</p>`
      : demand ? html`<p>${demand.feasibleNodes > 0 ? html`${demand.inPart ? 'Enough is free, if its claims may have it,' : why?.gang ? 'Alone it fits' : 'Fits'} on <b>${count(demand.feasibleNodes, 'node')}</b>${demand.inPart ? '' : ' by its cards'}; requests ${demand.text}` : html`Requests <b>${demand.text}</b>`}</p>${why?.groups ? obstacles(why.groups, this.#all ? why.groups.length : KINDS) : reasons(demand.reasons)}${this.#all ? advice(why) : nothing}`
        : html`<p>Requests something else: open it for details</p>`}</div>
      <p class="pods">${group.slice(0, PODS).map((pod) => html`<button type="button" class="pod" data-namespace=${pod.namespace} data-pod=${pod.name} aria-haspopup="dialog">${pod.namespace}/${pod.name} <i>${age(pod.created)}</i></button>`)}${group.length > PODS ? html`<span>and ${group.length - PODS} more</span>` : nothing}</p></li>`;
  }

  /** Fetches the explanations of these groups unless they are new. */
  async #explain(groups, waiting) {
    const now = performance.now();
    for (const [first] of groups) {
      const id = subject(first, waiting.demands[first.demand]);
      const known = this.#explained.get(id);
      if (!known || now - known.at > FRESH) {
        this.#explained.set(id, { ...known, at: now });
        try {
          const why = await get(`explain?namespace=${encodeURIComponent(first.namespace)}&pod=${encodeURIComponent(first.name)}&limit=0`);
          this.#explained.set(id, { at: now, why });
          this.draw(waiting);
        } catch {
          // The reasons are shown without their details; it is tried again when they are not fresh any more.
        }
      }
    }
    if (this.#explained.size > 200) {
      this.#explained.clear();
    }
  }
}

/** Pods with the same demand in words may accept other nodes. */
const subject = (pod, demand) => `${pod.namespace}/${pod.name} ${demand.text}`;

/** Nodes by reason and kind of card, the nearest miss first; so many of them. */
export function obstacles(groups, most = groups.length) {
  const more = groups.slice(most);
  const nodes = more.reduce((sum, group) => sum + group.nodes, 0);
  return html`<ul class="reasons">${groups.slice(0, most).map((group) => html`<li><b>${count(group.nodes, 'node')}</b>${group.model ? html` with ${group.model}: ${group.detail}` : about(group.sentence)}</li>`)}${more.length ? html`<li>and <b>${count(nodes, 'node')}</b> of ${count(more.length, 'more kind')}: open the pod for all</li>` : nothing}</ul>`;
}

/** A reason after a number of nodes: many begin with the word node. */
const about = (sentence) => `: ${sentence.replace(/^node('s)? /, (_, its) => (its ? 'its ' : ''))}`;

function reasons(of) {
  return html`<ul class="reasons">${of.map((reason) => html`<li><b>${count(reason.nodes, 'node')}</b>${about(reason.sentence)}</li>`)}</ul>`;
}

/** What helps, in sentences. */
export function advice(why) {
  return why?.advice?.length ? html`<ul class="advice">${why.advice.map((sentence) => html`<li>${sentence}</li>`)}</ul>` : nothing;
}
