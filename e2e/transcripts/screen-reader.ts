// Records a transcript of a page with Guidepup's virtual screen reader, which runs in the page itself.

import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, type Page } from '@playwright/test'

const readerSource = fs.readFileSync(
  new URL('../../node_modules/@guidepup/virtual-screen-reader/lib/esm/index.browser.js', import.meta.url),
  'utf8',
)
// The page's CSP blocks other scripts, so the test evaluates the reader instead of loading it as a module.
const exportPattern = /export\s*\{([^}]*)\};?/
const exportedName = /([\w$]+)\s+as\s+virtual\b/.exec(exportPattern.exec(readerSource)?.[1] ?? '')?.[1] ?? 'virtual'
const script = `(() => { ${readerSource.replace(exportPattern, '')}\n; globalThis.screenReader = ${exportedName} })()`

/** Replaces text that differs between runs with constants. */
const normalizeTranscript = (text: string): string =>
  text
    .replaceAll(/\b(sam|rosa)[\w.]*\d[\w.]*/g, '$1')
    .replaceAll(/\b\d{1,2}:\d{2}(:\d{2})?(\s[AP]M)?/g, '12:00')
    .replaceAll(/\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{1,2}\b(, \d{4}\b)?/g, 'Jan 1')
    .replaceAll(/TRN(-[0-9A-Z]{4}){3}/g, 'TRN-0000-0000-0000')
    .replaceAll(/(https?:\/\/)?localhost:\d+\/\S+/g, 'https://tern.example/…')
    .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '00000000-0000-0000-0000-000000000000')
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{3}…/g, '00000000-000…')
    .replaceAll(/in (under a second|\d+ seconds?)/g, 'in under a second')

/** Returns the reader's announcements for a part of the page, one per line. */
export async function readAloud(page: Page, container = 'main'): Promise<string> {
  await page.evaluate(script)
  const phrases = await page.evaluate<string[]>(`(async () => {
    const { screenReader } = globalThis
    await screenReader.start({ container: document.querySelector(${JSON.stringify(container)}) })
    const end = 'end of ' + (await screenReader.lastSpokenPhrase())
    for (let steps = 0; steps < 400; steps += 1) {
      await screenReader.next()
      if ((await screenReader.lastSpokenPhrase()) === end) break
    }
    const log = await screenReader.spokenPhraseLog()
    await screenReader.stop()
    return log
  })()`)
  return normalizeTranscript(phrases.join('\n'))
}

/** Compares announcements with the committed transcript; UPDATE_TRANSCRIPTS=on rewrites it. */
export function expectTranscript(name: string, announcements: string): void {
  const file = fileURLToPath(new URL(`./${name}.txt`, import.meta.url))
  if (process.env.UPDATE_TRANSCRIPTS === 'on') fs.writeFileSync(file, `${announcements}\n`)
  expect(`${announcements}\n`, `what a screen reader says of ${name}`).toBe(fs.readFileSync(file, 'utf8'))
}
