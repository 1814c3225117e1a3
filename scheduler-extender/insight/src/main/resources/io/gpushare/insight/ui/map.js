// All cards on a canvas: one cell per card, filled by its allocation. Only changed cells are drawn again.

import { allocated } from './words.js';

// Fewer nodes fit on the screen without a map.
export const MANY = 25;
const SIZES = [[120, 9, 22], [600, 6, 15], [Infinity, 4, 9]];

export class Overview {
  #box;
  #canvas = document.createElement('canvas');
  #tip = document.createElement('div');
  #reach;
  #nodes = [];
  #drawn = [];
  #places = [];
  #size = SIZES[0];
  #namespace = '';
  #pointer = null;
  #ink = {};

  constructor(box, reach) {
    this.#box = box;
    this.#reach = reach;
    this.#tip.className = 'tip';
    this.#tip.hidden = true;
    const scroll = document.createElement('div');
    scroll.className = 'scroll';
    scroll.tabIndex = 0;
    scroll.setAttribute('role', 'group');
    scroll.setAttribute('aria-label', 'Map of all cards');
    this.#canvas.setAttribute('role', 'img');
    scroll.append(this.#canvas);
    const legend = document.createElement('p');
    legend.className = 'legend';
    legend.innerHTML = '<span><i class="k-shared"></i>shared</span><span><i class="k-whole"></i>taken whole</span><span><i class="k-free"></i>free</span><span><i class="k-unhealthy"></i>unhealthy (split)</span><span><i class="k-cordoned"></i>cordoned (striped)</span>';
    box.append(scroll, legend, this.#tip);
    new ResizeObserver(() => this.#lay()).observe(scroll);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#lay());
    this.#canvas.addEventListener('mousemove', (event) => this.#point(event));
    this.#canvas.addEventListener('mouseleave', () => { this.#tip.hidden = true; this.#pointer = null; });
    this.#canvas.addEventListener('click', (event) => {
      const node = this.#at(event);
      if (node) this.#reach(node.name);
    });
  }

  /** Shows these nodes in this order, and of a namespace only its own shares; hidden where the list fits on the screen. */
  show(nodes, namespace) {
    this.#box.hidden = nodes.length < MANY;
    if (this.#box.hidden) {
      this.#nodes = [];
      return;
    }
    const same = nodes.length === this.#nodes.length
      && nodes.every((node, i) => node.name === this.#nodes[i].name && node.cards.length === this.#nodes[i].cards.length);
    this.#nodes = nodes;
    if (namespace !== this.#namespace) {
      this.#namespace = namespace;
      this.#drawn = [];
    }
    if (same) {
      this.#draw();
    } else {
      this.#lay();
    }
  }

  #lay() {
    if (this.#box.hidden || this.#nodes.length === 0) {
      return;
    }
    const style = getComputedStyle(this.#box);
    this.#ink = Object.fromEntries(['track', 'shared', 'whole', 'unhealthy', 'cordoned', 'surface'].map((name) => [name, style.getPropertyValue(`--map-${name}`)]));
    this.#size = SIZES.find(([most]) => this.#nodes.length <= most);
    const [, w, h] = this.#size;
    const width = this.#canvas.parentElement.clientWidth - 2;
    let x = 0;
    let y = 0;
    this.#places = this.#nodes.map((node) => {
      const wide = Math.max(1, node.cards.length) * w + w;
      if (x + wide > width && x > 0) {
        x = 0;
        y += h + 3;
      }
      const place = [x, y, wide - w];
      x += wide;
      return place;
    });
    const dots = Math.min(devicePixelRatio || 1, 2);
    this.#canvas.width = width * dots;
    this.#canvas.height = (y + h) * dots;
    this.#canvas.style.width = `${width}px`;
    this.#canvas.style.height = `${y + h}px`;
    this.#canvas.getContext('2d').scale(dots, dots);
    this.#drawn = [];
    this.#draw();
  }

  #draw() {
    const to = this.#canvas.getContext('2d');
    let redrawn = 0;
    this.#nodes.forEach((node, i) => {
      if (this.#drawn[i] !== node) {
        this.#drawn[i] = node;
        this.#node(to, node, this.#places[i]);
        redrawn += 1;
      }
    });
    if (this.#pointer) this.#point(this.#pointer);
    this.#canvas.dataset.redrawn = redrawn;
    const unusual = this.#nodes.filter((node) => node.severity).length;
    this.#canvas.setAttribute('aria-label', `Each card of ${this.#nodes.length} nodes as a cell, ${unusual} of the nodes with an unhealthy or cordoned card; the list below has the same in words`);
  }

  #node(to, node, [x, y, wide]) {
    const [, w, h] = this.#size;
    to.clearRect(x, y, wide, h);
    node.cards.forEach((card, i) => {
      const left = x + i * w;
      const inner = w - 1;
      to.fillStyle = this.#ink.track;
      to.fillRect(left, y, inner, h);
      const own = this.#namespace ? card.shares.filter((share) => share.namespace === this.#namespace).reduce((sum, share) => sum + share.amount, 0) : card.allocated;
      const part = card.size === 0 ? 0 : Math.min(1, own / card.size);
      to.fillStyle = card.whole ? this.#ink.whole : this.#ink.shared;
      to.fillRect(left, y + h * (1 - part), inner, h * part);
      if (card.unhealthy || card.over) {
        to.fillStyle = this.#ink.unhealthy;
        to.fillRect(left, y, inner, h);
        to.fillStyle = this.#ink.surface;
        to.fillRect(left, y + h / 2 - 1, inner, 2);
      } else if (card.cordoned) {
        to.fillStyle = this.#ink.cordoned;
        for (let stripe = 0; stripe < h; stripe += 4) {
          to.fillRect(left, y + stripe, inner, 2);
        }
      }
    });
  }

  #at(event) {
    const [, , h] = this.#size;
    const i = this.#places.findIndex(([x, y, wide]) =>
      event.offsetX >= x && event.offsetX < x + wide && event.offsetY >= y && event.offsetY < y + h + 1);
    return this.#nodes[i];
  }

  #point(event) {
    const { offsetX, offsetY, clientX, clientY } = event;
    this.#pointer = { offsetX, offsetY, clientX, clientY };
    const node = this.#at(event);
    this.#tip.hidden = !node;
    if (node) {
      this.#tip.textContent = `${node.name}: ${allocated(node)}`;
      const box = this.#box.getBoundingClientRect();
      this.#tip.style.transform = `translate(${Math.min(event.clientX - box.left + 12, box.width - 260)}px, ${event.clientY - box.top + 16}px)`;
    }
  }
}
