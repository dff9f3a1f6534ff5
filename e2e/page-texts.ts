import { expect, type Page } from '@playwright/test'

/**
 * Script that returns all texts of a page: visible texts, texts for screen readers, title and description; without
 * names that are never translated.
 */
const textsScript = `(() => {
  const found = [document.title, document.querySelector('meta[name=description]')?.content ?? '']
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) if (!walker.currentNode.parentElement.closest('script, style, [translate=no]')) found.push(walker.currentNode.data)
  const attributes = ['aria-label', 'aria-description', 'title', 'placeholder', 'alt']
  for (const element of document.querySelectorAll(attributes.map((name) => '[' + name + ']').join()))
    found.push(...attributes.map((name) => element.getAttribute(name) ?? ''))
  return [...new Set(found.map((text) => text.trim()).filter(Boolean))]
})()`

/** Script that returns horizontal overflow: of the page itself, and of texts cut off at the window's edge. */
const overflowsScript = `(() => {
  const wider = document.documentElement.scrollWidth - document.documentElement.clientWidth
  const found = wider > 0 ? ['the page, by ' + wider + ' px'] : []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const range = document.createRange()
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement
    if (element.closest('script, style, svg, .visually-hidden, .skip-link') || !element.checkVisibility()) continue
    range.selectNodeContents(walker.currentNode)
    const isCut = [...range.getClientRects()].some(({ left, right, width }) => width > 0 && (left < -1 || right > innerWidth + 1))
    const isOnlyHeard = element.getBoundingClientRect().width <= 1
    const isShortened = element.closest('.activity-row .truncate, .activity-sub') !== null
    // A row that scrolls sideways: its words are cut at the edge, and reached by scrolling.
    const isScrolled = element.closest('.page-tabs, .settings-tabs') !== null
    if (isCut && !isOnlyHeard && !isShortened && !isScrolled) found.push(walker.currentNode.data)
  }
  return found
})()`

/** Script that returns amounts whose digits and currency would be reordered in right-to-left text. */
const looseAmountsScript = `(() => {
  const found = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode
    const isAmount = /\\d [A-Z]{3,4}\\b|[$€£¥₹] ?\\d/.test(data.replaceAll(/\\u2066[^\\u2069]*\\u2069/g, ''))
    if (isAmount && !parentElement.closest('script, style, option') && getComputedStyle(parentElement).direction === 'rtl') found.push(data)
  }
  return found
})()`

export const findLooseAmounts = (page: Page) => page.evaluate<string[]>(looseAmountsScript)
export const readTexts = (page: Page) => page.evaluate<string[]>(textsScript)

/** Asserts that the page is no wider than the window, and that no text is cut off at its edges. */
export async function expectNoOverflow(page: Page, description: string): Promise<void> {
  expect.soft(await page.evaluate<string[]>(overflowsScript), `${description} fits into the window`).toEqual([])
}
