import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, type Page, test } from '@playwright/test'
import { removalWorkerPath, workerPath } from '../../packages/contract/src/site/offline-copy.ts'
import { expectSoundState } from '../page-checks.ts'
import { settle } from '../pages.ts'
import { sendAndProve } from './receipt-proofs.ts'

const keptText = 'This page is stored in this browser'

interface Copies {
  readonly names: readonly string[]
  readonly paths: readonly string[]
}

/** Lists the caches of a page's origin, and the paths of what they hold. */
const listCopies = (page: Page): Promise<Copies> =>
  page.evaluate(`(async () => {
    const names = await caches.keys()
    const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()))
    return { names, paths: requests.flat().map(({ url }) => new URL(url).pathname) }
  })()`)

/** Counts the workers of a page's origin in a state. */
const countWorkers = (page: Page, state: 'active' | 'waiting'): Promise<number> =>
  page.evaluate(
    `navigator.serviceWorker.getRegistrations().then((all) => all.filter(({ ${state} }) => ${state}).length)`,
  )

async function verifyText(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Proof' }).fill(text)
  await page.getByRole('button', { name: 'Verify' }).click()
}

const verdict = (page: Page, name: string) => page.getByRole('heading', { level: 2, name, exact: true })

test('/verify opens and verifies without a network after one visit, and no other page does', async ({
  page,
  context,
}) => {
  const { url, file } = await sendAndProve()
  await page.goto('/verify')
  await expect(page.getByText(keptText)).toBeVisible()
  await page.waitForFunction(() => localStorage.getItem('tern-log-keys') !== null)
  await page.close()

  await context.setOffline(true)
  const later = await context.newPage()
  await later.goto(`/verify${new URL(url).hash}`)
  await expect(verdict(later, 'Valid')).toBeVisible()
  await expect(later.getByText(keptText)).toBeVisible()
  await settle(later)
  await expectSoundState(later)
  await later.goto('/verify')
  await verifyText(later, file)
  await expect(verdict(later, 'Valid')).toBeVisible()
  const tampered = file.replace(/^index (\d+)$/m, (_line, index: string) => `index ${BigInt(index) + 1n}`)
  await verifyText(later, tampered)
  await expect(verdict(later, 'Not valid')).toBeVisible()
  await later
    .locator('input[type=file]')
    .setInputFiles({ name: 'receipt.tlog-proof', mimeType: 'text/plain', buffer: Buffer.from(file) })
  await expect(verdict(later, 'Valid')).toBeVisible()

  // The copy is the page and its files, and nothing that an API has answered.
  const { names, paths } = await listCopies(later)
  expect(names).toHaveLength(1)
  expect(paths.filter((path) => path !== '/verify' && !path.startsWith('/assets/'))).toEqual([])
  // Pages of the same beginning and other pages fail as they always did.
  for (const path of ['/verify-email', '/login', '/dashboard', '/'])
    await expect(later.goto(path), path).rejects.toThrow('ERR_INTERNET_DISCONNECTED')
  await context.setOffline(false)
  await later.goto('/login')
  await expect(later.getByRole('button', { name: 'Continue with Email' })).toBeVisible()
})

/** State of an installation as a browser sees it. */
interface Build {
  readonly name: string
  /** Worker at `workerPath`, from the one of the product. */
  readonly worker: (script: string) => string
}

const buildHeader = 'x-build'

/** Server in front of the product, whose build changes while its origin stays. */
async function serveBuilds(product: string, first: Build) {
  let build = first
  async function answer(path: string, response: http.ServerResponse): Promise<void> {
    const found = await fetch(new URL(path, product))
    const bytes = Buffer.from(await found.arrayBuffer())
    const headers = ['content-type', 'content-security-policy', 'cache-control'].flatMap((name) => {
      const value = found.headers.get(name)
      return value === null ? [] : [[name, value] as const]
    })
    response
      .writeHead(found.status, { ...Object.fromEntries(headers), [buildHeader]: build.name })
      .end(path === workerPath ? build.worker(bytes.toString()) : bytes)
  }
  const server = http.createServer((request, response) => {
    answer(request.url ?? '/', response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    address: `http://127.0.0.1:${port}/verify`,
    deploy: (next: Build) => (build = next),
    close: () => server.close().closeAllConnections(),
  }
}

test('a deploy shows at once, replaces the copy once the old page is closed, and can remove it', async ({
  context,
  request,
  baseURL,
}) => {
  const front = await serveBuilds(baseURL ?? '', { name: 'first', worker: (script) => script })
  async function open() {
    const page = await context.newPage()
    const response = await page.goto(front.address)
    return { page, build: response?.headers()[buildHeader] }
  }
  const { page: first } = await open()
  await expect(first.getByText(keptText)).toBeVisible()
  const [firstCopy = ''] = (await listCopies(first)).names

  front.deploy({ name: 'second', worker: (script) => script.replace(firstCopy, `${firstCopy} second`) })
  const { page: second, build } = await open()
  expect(build).toBe('second')
  // The copy of the first build stays whole while its page is open.
  await expect.poll(() => countWorkers(second, 'waiting')).toBe(1)
  expect((await listCopies(second)).names.toSorted()).toEqual([firstCopy, `${firstCopy} second`])
  await first.close()
  await second.close()
  const { page: third } = await open()
  await expect.poll(async () => (await listCopies(third)).names).toEqual([`${firstCopy} second`])
  await context.setOffline(true)
  expect((await third.reload())?.headers()[buildHeader]).toBe('second')
  await context.setOffline(false)

  // The worker that the product serves with VERIFY_OFFLINE=off.
  const removal = await (await request.get(removalWorkerPath)).text()
  front.deploy({ name: 'third', worker: () => removal })
  await third.reload()
  await expect.poll(async () => (await listCopies(third)).names).toEqual([])
  await third.close()
  const { page: last } = await open()
  await expect(last.getByRole('heading', { level: 1 })).toBeVisible()
  await expect.poll(() => countWorkers(last, 'active')).toBe(0)
  await expect(last.getByText(keptText)).toBeHidden()
  await context.setOffline(true)
  await expect(last.reload()).rejects.toThrow('ERR_INTERNET_DISCONNECTED')
  front.close()
})
