import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const cache = fs.mkdtempSync(path.join(os.tmpdir(), 'tern-compiled-'))
afterAll(() => fs.rmSync(cache, { recursive: true }))

/** Program that prints, when it exits, the Node modules and packages loaded. */
const listing = `import module from 'node:module'
const packages = new Set()
if (process.env.LIST_PACKAGES) module.registerHooks({
  load(url, context, next) {
    packages.add(/.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1] ?? '')
    return next(url, context)
  },
})
process.on('exit', () => process.stdout.write(JSON.stringify({ node: process.moduleLoadList, packages: [...packages] })))
`

interface LoadedModule {
  readonly node: readonly string[]
  readonly packages: readonly string[]
}

/** Returns everything loaded by a process that imports these modules and exits. */
function load(modules: readonly string[], environment: NodeJS.ProcessEnv = {}): LoadedModule {
  const list = `data:text/javascript,${encodeURIComponent(listing)}`
  const parameters = ['--import', list, path.join(root, 'tools', 'product', 'compile.ts'), ...modules]
  const { PATH } = process.env
  const env = { PATH, NODE_COMPILE_CACHE: cache, ...environment }
  const { stdout, stderr, status } = spawnSync(process.execPath, parameters, { cwd: root, env, encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
  return JSON.parse(stdout) as LoadedModule
}

const compilers = ({ node }: LoadedModule) => node.filter((name) => name.includes('amaro'))

test('once all is compiled, no program loads the TypeScript compiler', () => {
  expect(compilers(load(['supervisor', 'product']))).not.toEqual([])
  for (const program of ['supervisor', 'app', 'worker', 'sandbox']) {
    expect(compilers(load([program])), program).toEqual([])
  }
})

/** Libraries that take at least 10 MB per process and are needed rarely or by a single process. */
const largePackages = new Set([
  '@cantoo/pdf-lib',
  '@simplewebauthn/server',
  'date-holidays',
  'moment',
  'nodemailer',
  'oidc-provider',
  'pdfkit',
  'pinyin-pro',
])

test.each([
  ['app', 'graphile-worker'],
  ['worker', '@fastify/swagger-ui'],
  ['sandbox', 'graphile-worker'],
])('the %s starts without large libraries and %s', (program, other) => {
  const { packages } = load([program], { LIST_PACKAGES: 'yes' })
  expect(packages).toContain('fastify')
  expect(packages.filter((name) => name === other || largePackages.has(name))).toEqual([])
})

test('the supervisor loads no library behind fetch', () => {
  expect(load(['supervisor']).node.filter((name) => name.includes('undici'))).toEqual([])
})
