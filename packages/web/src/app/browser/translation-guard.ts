// Page translators put an element (Chrome: <font>) in the place of each text node. React keeps the text node: it would throw
// when it removes it or inserts before it (https://github.com/facebook/react/issues/11538), and what it writes into it would
// be seen nowhere. Marking up each text would cover only the texts that were thought of; this covers all. Other extensions
// wrap, copy, move or remove elements in the same way.

/** The element in the place of a node. */
const standIns = new WeakMap<Node, Element>()
/** Elements that stand in for a text. */
const taken = new WeakSet<Node>()

// Set by guardTranslation: pages are also built where there is no document.
let natives: Pick<Node, 'removeChild' | 'insertBefore' | 'appendChild'>
let observer: MutationObserver

const isFont = (node: Node | null): node is Element => node instanceof Element && node.localName === 'font'

/** The element that came when a node left: in the same step, or just before it, beside a text. */
function standInOf({ removedNodes, addedNodes, previousSibling, nextSibling }: MutationRecord): Element | undefined {
  const [added] = addedNodes
  const isSwap = removedNodes.length === 1 && addedNodes.length === 1 && added instanceof Element
  if (isSwap) return added
  if (!(removedNodes[0] instanceof Text)) return undefined
  return [previousSibling, nextSibling].filter(isFont).find((font) => !taken.has(font))
}

/** Puts a text that React has changed back in its place; the translator will see it there. */
function restore(text: Node): void {
  const standIn = standIns.get(text)
  if (text.isConnected || !standIn?.parentNode) return
  natives.insertBefore.call(standIn.parentNode, text, standIn)
  natives.removeChild.call(standIn.parentNode, standIn)
  standIns.delete(text)
}

function note(records: readonly MutationRecord[]): void {
  for (const record of records) {
    if (record.type === 'characterData') {
      restore(record.target)
      continue
    }
    for (const left of record.removedNodes) {
      const standIn = standInOf(record)
      if (!standIn) continue
      standIns.set(left, standIn)
      taken.add(standIn)
      observer.observe(left, { characterData: true })
    }
  }
}

/** The child of `parent` that stands in the place of `child`; undefined without one. */
function placeIn(parent: Node, child: Node): Node | undefined {
  let place: Node | null = standIns.get(child) ?? child
  while (place && place.parentNode !== parent) place = place.parentNode
  return place ?? undefined
}

/** Takes away the stand-in of a text that gets a place of its own again. */
function dropStandIn(text: Node): void {
  const standIn = standIns.get(text)
  if (standIn?.parentNode && !standIn.contains(text)) natives.removeChild.call(standIn.parentNode, standIn)
  standIns.delete(text)
}

/** Removes `child`, or what stands in its place. A translator may have put elements with it into one of its own: they stay. */
function removeTranslated(parent: Node, child: Node): void {
  const place = placeIn(parent, child)
  const isAlone = place?.textContent === child.textContent || standIns.get(child) === place
  if (place && isAlone) natives.removeChild.call(parent, place)
  else child.parentNode?.removeChild(child)
  standIns.delete(child)
}

/** Lets React change pages while a translator replaces their texts. Called once, before React takes over the page. */
export function guardTranslation(): void {
  const { removeChild, insertBefore, appendChild } = Node.prototype
  natives = { removeChild, insertBefore, appendChild }
  observer = new MutationObserver(note)
  observer.observe(document, { childList: true, subtree: true })
  Node.prototype.removeChild = function guarded<T extends Node>(this: Node, child: T): T {
    if (child.parentNode !== this) note(observer.takeRecords())
    if (child.parentNode === this) return removeChild.call(this, child) as T
    removeTranslated(this, child)
    return child
  }
  Node.prototype.insertBefore = function guarded<T extends Node>(this: Node, node: T, before: Node | null): T {
    if (before && before.parentNode !== this) note(observer.takeRecords())
    dropStandIn(node)
    const isThere = !before || before.parentNode === this
    return insertBefore.call(this, node, isThere ? before : (placeIn(this, before) ?? null)) as T
  }
  Node.prototype.appendChild = function guarded<T extends Node>(this: Node, node: T): T {
    dropStandIn(node)
    return appendChild.call(this, node) as T
  }
}
