// CPU-heavy work runs in threads: the process that answers requests does not load its modules.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const modules = ['pdfkit', '@cantoo/pdf-lib', '@napi-rs/image', 'fflate', 'uqr', 'harfbuzzjs', 'subset-font', 'bidi-js']
const files = [
  'receipt-pdf.ts',
  'receipt-worker.ts',
  'archive.ts',
  'export-worker.ts',
  'clean-pdf.ts',
  'clean-image.ts',
]

/** Returns the addresses of all modules that `entry` loads, in a separate process. */
async function listModules(entry: string): Promise<string[]> {
  const program = `
    const { registerHooks } = await import('node:module')
    const loaded = []
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context) } })
    await import(${JSON.stringify(new URL(entry, import.meta.url).href)})
    process.stdout.write(JSON.stringify(loaded), () => process.exit(0))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    maxBuffer: 16 * 1024 * 1024,
  })
  return JSON.parse(stdout) as string[]
}

const isHeavyModule = (url: string): boolean =>
  modules.some((name) => url.includes(`/node_modules/${name}/`)) || files.some((name) => url.endsWith(`/${name}`))

test('the process that answers requests loads nothing that writes or reads PDFs or pictures', async () => {
  const appModules = await listModules('app.ts')
  expect(appModules.some((url) => url.endsWith('/wallets/receipt/receipt-file.ts'))).toBe(true)
  expect(appModules.filter(isHeavyModule)).toEqual([])
  const threadModules = await listModules('features/wallets/receipt/receipt-worker.ts')
  expect(threadModules.filter(isHeavyModule).length, 'the same is found where it is loaded').toBeGreaterThan(2)
})
