// node tools/run.mjs e2e/screens.ts: starts a product and takes screenshots of every page at three widths in both
// themes.

import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from '@playwright/test'
import { demoAccounts } from '../packages/server/src/commands/demo/demo-accounts.ts'
import { findBrowser } from '../tools/browser.ts'
import { startTestProduct } from '@tern/testkit/product'
import { memberPages, settle, signIn, themes, visitorPages, widths } from './pages.ts'

const folder = fileURLToPath(new URL('../screens/', import.meta.url))
fs.mkdirSync(folder, { recursive: true })

const { address, remove } = await startTestProduct()
const browser = await chromium.launch(await findBrowser())
try {
  for (const colorScheme of themes) {
    for (const width of widths) {
      const context = await browser.newContext({
        baseURL: address.E2E_URL,
        colorScheme,
        viewport: { width, height: width < 600 ? 844 : 900 },
        locale: 'en-US',
      })
      const page = await context.newPage()
      const takeScreenshot = async (target: string) => {
        await page.goto(target)
        await settle(page)
        const name = target === '/' ? 'first' : target.slice(1).replaceAll('/', '-')
        await page.screenshot({ path: path.join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true })
      }
      for (const target of visitorPages) await takeScreenshot(target)
      await signIn(page, demoAccounts[0])
      for (const target of [...memberPages, '/register']) await takeScreenshot(target)
      await context.close()
      console.log(`${width} px, ${colorScheme}`)
    }
  }
} finally {
  await browser.close()
  await remove()
}
console.log(`The pictures are in ${folder}`)
