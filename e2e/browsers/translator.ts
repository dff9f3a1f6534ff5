import type { Page } from '@playwright/test'

/**
 * How a translator replaces a text: Chrome puts in a copy; others move the text node itself, or put the copy beside it first.
 */
export type TranslatorWay = 'copies' | 'moves' | 'puts beside'

/** Wraps every text of a page in two font elements, from its first moment and whenever one is added or changed. */
const translate = `(way) => {
  const isLeftAlone = (text) =>
    text.data.trim() === '' || text.parentElement.closest('script, style, title, textarea, option, font') !== null
  const wrap = (text) => {
    const outer = document.createElement('font')
    const inner = outer.appendChild(document.createElement('font'))
    if (way !== 'moves') inner.textContent = text.data
    if (way === 'puts beside') {
      text.before(outer)
      text.remove()
    } else text.replaceWith(outer)
    if (way === 'moves') inner.append(text)
  }
  const wrapAll = () => {
    if (!document.body) return
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const found = []
    while (walker.nextNode()) found.push(walker.currentNode)
    for (const text of found) if (!isLeftAlone(text)) wrap(text)
  }
  // Translators start once the page has loaded; React may not have taken over yet.
  addEventListener('DOMContentLoaded', () => {
    wrapAll()
    new MutationObserver(wrapAll).observe(document, { childList: true, characterData: true, subtree: true })
  })
}`

/** Translates every page that is opened from now on. */
export const translatePages = (page: Page, way: TranslatorWay): Promise<unknown> =>
  page.addInitScript(`(${translate})(${JSON.stringify(way)})`)
