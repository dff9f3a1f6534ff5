import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { generateTypes } from './generate.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
// Inside the project, so that the client's imports resolve.
const folder = path.join(root, '.cache', `api-client-${process.pid}`)

/** Third-party client that knows the API only from its OpenAPI document. */
const program = `import createClient from 'openapi-fetch'
import type { components, paths } from './api.d.ts'

export async function pay(baseUrl: string, token: string, recipient: number, key: string) {
  const api = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${token}\` } })
  const wallets = await api.GET('/api/wallet')
  const wallet: components['schemas']['Wallet'] | undefined = wallets.data?.[0]
  if (!wallet) throw new Error(wallets.error?.code)
  const renamed = await api.PUT('/api/wallet/update/{id}', { params: { path: { id: wallet.id } }, body: { name: 'Rent' } })
  const header = { 'Idempotency-Key': key }
  const sent = await api.POST('/api/payment/transfer', {
    params: { header },
    body: { recipient_id: recipient, amount: '2.50', source_currency: wallet.currency },
  })
  const tooMuch = await api.POST('/api/payment/transfer', {
    params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
    body: { recipient_id: recipient, amount: '99999', source_currency: wallet.currency },
  })
  const list = await api.GET('/api/wallet/{id}/transactions', {
    params: { path: { id: wallet.id }, query: { type: 'SEND', limit: '5' } },
  })
  const code: components['schemas']['RefusalCode'] | undefined = tooMuch.error?.code
  return {
    name: renamed.data?.name,
    status: sent.data?.status satisfies 'COMPLETED' | 'PENDING' | 'FAILED' | undefined,
    total: list.data?.transactions.map((row) => row.amount satisfies string),
    code,
  }
}
`

/** Calls that the API would refuse and that must not compile. */
const mistakes = [
  ["api.GET('/api/walet', {})", /walet/],
  ["api.POST('/api/payment/transfer', { body: { recipient_id: 1, amount: '1', source_currency: 'USD' } })", /params/],
  ["api.PUT('/api/wallet/update/{id}', { params: { path: { id: 'x' } }, body: { fiat_balance: '1' } })", /name/],
  ["api.GET('/api/transaction', { params: { query: { type: 'GIFT' } } })", /GIFT/],
] as const

const options = {
  compilerOptions: {
    target: 'es2024',
    lib: ['es2024', 'dom'],
    module: 'esnext',
    moduleResolution: 'bundler',
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: false,
    types: [],
  },
}

/** Returns the compiler's errors for a file next to the generated types. */
function compile(name: string, source: string): string {
  fs.writeFileSync(path.join(folder, name), source)
  const project = path.join(folder, `${name}.json`)
  fs.writeFileSync(project, JSON.stringify({ ...options, files: [name] }))
  const tsc = path.join(root, 'node_modules', '.bin', 'tsc')
  return spawnSync(tsc, ['-p', project, '--pretty', 'false'], { encoding: 'utf8' }).stdout
}

let world: TestApp
let alice: TestPerson
let bruno: TestPerson

beforeAll(async () => {
  world = await startTestApp()
  alice = await world.enroll('alice', 'United States')
  bruno = await world.enroll('bruno', 'United States')
  await world.fund(alice, 10_000)
  fs.mkdirSync(folder, { recursive: true })
  const document = await (await world.readAsOperator('/api/openapi.json')).text()
  fs.writeFileSync(path.join(folder, 'api.d.ts'), await generateTypes(document))
})
afterAll(async () => {
  fs.rmSync(folder, { recursive: true, force: true })
  await world.close()
})

test('a client made from the served document compiles, and moves money', async () => {
  expect(compile('client.ts', program)).toBe('')
  const client = (await import(pathToFileURL(path.join(folder, 'client.ts')).href)) as {
    pay(baseUrl: string, token: string, recipient: number, key: string): Promise<unknown>
  }
  const key = randomUUID()
  const expectedResult = { name: 'Rent', status: 'COMPLETED', total: ['2.51'], code: 'step_up_required' }
  expect(await client.pay(world.url, alice.token, bruno.id, key)).toEqual(expectedResult)
  // Repeating the request with its key moves no money again.
  expect(await client.pay(world.url, alice.token, bruno.id, key)).toEqual(expectedResult)
  expect(await bruno.wallet()).toMatchObject({ fiat_balance: '2.50' })
})

test('calls that the API would refuse do not compile', () => {
  const head = "import createClient from 'openapi-fetch'\nimport type { paths } from './api.d.ts'\n"
  const calls = mistakes.map(([call]) => `void ${call}`).join('\n')
  const compilerOutput = compile('mistakes.ts', `${head}const api = createClient<paths>()\n${calls}\n`)
  mistakes.forEach(([, reason], index) => {
    const lineErrors = compilerOutput.split(/\n(?=\S)/).filter((line) => line.includes(`mistakes.ts(${index + 4},`))
    expect(lineErrors.join('\n')).toMatch(reason)
  })
})
