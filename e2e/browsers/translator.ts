import type { Page } from '@playwright/test'

/**
 * Ways in which translators replace a text: Chrome puts a copy in its place; others move the text node itself, or
 * insert a copy beside it and then remove it.
 */
export type TranslatorMode = 'copies' | 'moves' | 'puts beside'

/** Script that wraps every text of a page in two font elements, initially and after every change. */
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

/** Translates every page opened afterwards. */
export const translatePages = (page: Page, mode: TranslatorMode): Promise<unknown> =>
  page.addInitScript(`(${translate})(${JSON.stringify(mode)})`)

/** Changes that other extensions make to elements: ad blockers remove them, reader modes wrap or copy them. */
export type ElementChange = 'wraps' | 'copies' | 'moves' | 'removes'

/** Script that changes messages and buttons, initially and whenever some are added. */
const change = `(way) => {
  const seen = new WeakSet()
  const ways = {
    wraps: (element) => {
      const wrapper = document.createElement('span')
      element.replaceWith(wrapper)
      wrapper.append(element)
    },
    copies: (element) => {
      if (element.querySelector('input, button, a, select, svg') || element.closest('label, button, a, [role=option]')) return
      const copy = element.cloneNode(true)
      for (const part of [copy, ...copy.querySelectorAll('*')]) seen.add(part)
      element.replaceWith(copy)
    },
    moves: (element) => element.closest('button, [role=option]') || document.body.append(element),
    removes: (element) => element.closest('button, [role=option]') || element.remove(),
  }
  const targets = way === 'wraps' ? 'main button, main p' : 'main p, main b, main .note, main [id$=error]'
  const changeAll = () => {
    for (const element of document.querySelectorAll(targets)) {
      if (seen.has(element)) continue
      seen.add(element)
      ways[way](element)
    }
  }
  addEventListener('DOMContentLoaded', () => {
    changeAll()
    new MutationObserver(changeAll).observe(document, { childList: true, subtree: true })
  })
}`

/** Changes elements of every page opened afterwards. */
export const changeElements = (page: Page, kind: ElementChange): Promise<unknown> =>
  page.addInitScript(`(${change})(${JSON.stringify(kind)})`)
