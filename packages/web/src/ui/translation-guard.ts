// Page translators replace each text node with an element (Chrome: <font>). React keeps the text node: removing it or
// inserting before it would throw (https://github.com/facebook/react/issues/11538), and text written to it would stay
// invisible. Marking up texts would protect only the marked ones; this protects all. Other extensions wrap, copy, move
// or remove elements in the same way.

/** Element in the place of each replaced node. */
const replacements = new WeakMap<Node, Element>()
/** Elements that already replace a text. */
const usedElements = new WeakSet<Node>()

// Set by guardTranslation, since pages are also built without a document.
let nativeMethods: Pick<Node, 'removeChild' | 'insertBefore' | 'appendChild'>
let observer: MutationObserver

const isFont = (node: Node | null): node is Element => node instanceof Element && node.localName === 'font'

/** Element that replaced a removed node in the same step; for a text, also one inserted beside it just before. */
function findReplacement({
  removedNodes,
  addedNodes,
  previousSibling,
  nextSibling,
}: MutationRecord): Element | undefined {
  const [added] = addedNodes
  const isSwap = removedNodes.length === 1 && addedNodes.length === 1 && added instanceof Element
  if (isSwap) return added
  if (!(removedNodes[0] instanceof Text)) return undefined
  return [previousSibling, nextSibling].filter(isFont).find((font) => !usedElements.has(font))
}

/** Restores a text node that React has changed, so that the translator sees it. */
function restore(text: Node): void {
  const replacement = replacements.get(text)
  if (text.isConnected || !replacement?.parentNode) return
  nativeMethods.insertBefore.call(replacement.parentNode, text, replacement)
  nativeMethods.removeChild.call(replacement.parentNode, replacement)
  replacements.delete(text)
}

function handleMutations(records: readonly MutationRecord[]): void {
  for (const record of records) {
    if (record.type === 'characterData') {
      restore(record.target)
      continue
    }
    for (const removedNode of record.removedNodes) {
      const replacement = findReplacement(record)
      if (!replacement) continue
      replacements.set(removedNode, replacement)
      usedElements.add(replacement)
      observer.observe(removedNode, { characterData: true })
    }
  }
}

/** Child of `parent` that contains or replaces `child`; undefined without one. */
function findChild(parent: Node, child: Node): Node | undefined {
  let place: Node | null = replacements.get(child) ?? child
  while (place && place.parentNode !== parent) place = place.parentNode
  return place ?? undefined
}

/** Removes the replacement of a text that is inserted again. */
function dropReplacement(text: Node): void {
  const replacement = replacements.get(text)
  if (replacement?.parentNode && !replacement.contains(text))
    nativeMethods.removeChild.call(replacement.parentNode, replacement)
  replacements.delete(text)
}

/** Removes `child` or its replacement. Elements that a translator moved into the same replacement stay. */
function removeTranslated(parent: Node, child: Node): void {
  const place = findChild(parent, child)
  const isOnlyText = place?.textContent === child.textContent || replacements.get(child) === place
  if (place && isOnlyText) nativeMethods.removeChild.call(parent, place)
  else child.parentNode?.removeChild(child)
  replacements.delete(child)
}

/** Lets React change pages while a translator replaces their texts. Called once, before hydration. */
export function guardTranslation(): void {
  const { removeChild, insertBefore, appendChild } = Node.prototype
  nativeMethods = { removeChild, insertBefore, appendChild }
  observer = new MutationObserver(handleMutations)
  observer.observe(document, { childList: true, subtree: true })
  Node.prototype.removeChild = function guarded<T extends Node>(this: Node, child: T): T {
    if (child.parentNode !== this) handleMutations(observer.takeRecords())
    if (child.parentNode === this) return removeChild.call(this, child) as T
    removeTranslated(this, child)
    return child
  }
  Node.prototype.insertBefore = function guarded<T extends Node>(this: Node, node: T, before: Node | null): T {
    if (before && before.parentNode !== this) handleMutations(observer.takeRecords())
    dropReplacement(node)
    const isChild = !before || before.parentNode === this
    return insertBefore.call(this, node, isChild ? before : (findChild(this, before) ?? null)) as T
  }
  Node.prototype.appendChild = function guarded<T extends Node>(this: Node, node: T): T {
    dropReplacement(node)
    return appendChild.call(this, node) as T
  }
}
