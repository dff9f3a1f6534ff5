// Finds the browser for journeys, screens and measurements: CHROMIUM_PATH, then the system's Chromium, then the npm
// package. The headless shell is the same browser without window rendering, and needs a third less CPU.

import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import manifest from '../package.json' with { type: 'json' }
import { memoryFolder, temporaryFolder } from '@tern/testkit/temporary-folder'

export interface Browser {
  executablePath: string
  args: string[]
  env?: Record<string, string>
}

const packed = new URL('../node_modules/@sparticuz/chromium/bin/', import.meta.url)
const cache = fileURLToPath(new URL('../.cache/browser/', import.meta.url))

const places = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

// Chromium's sandbox does not start as root or in most containers.
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** In most containers shared memory is too small for a browser, which then uses files on disk instead. */
const withoutMemory = (): string[] => (temporaryFolder() === memoryFolder ? [] : ['--disable-dev-shm-usage'])

/** Returns launch options for Playwright. Throws if CHROMIUM_PATH names a missing file. */
export async function findBrowser(): Promise<Browser> {
  const given = process.env.CHROMIUM_PATH
  if (given !== undefined && !fs.existsSync(given))
    throw new Error(`CHROMIUM_PATH names ${given}, which does not exist.`)
  const executablePath = given ?? places.find((place) => fs.existsSync(place))
  const all = [...args, ...withoutMemory()]
  return executablePath === undefined ? browserFromNpm(all) : { executablePath, args: all }
}

// Does not use the package's own arguments, which disable web security and would invalidate tests.
async function browserFromNpm(given: string[]): Promise<Browser> {
  const folder = path.join(cache, manifest.devDependencies['@sparticuz/chromium'])
  if (!fs.existsSync(folder)) await unpack(folder)
  const environment = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return {
    executablePath: path.join(folder, 'chromium'),
    args: given,
    env: { ...Object.fromEntries(environment), LD_LIBRARY_PATH: path.join(folder, 'al2023', 'lib') },
  }
}

/** Unpacks into a sibling folder and renames it at the end, so that `folder` is always complete. */
async function unpack(folder: string): Promise<void> {
  const { inflate } = await import('@sparticuz/chromium')
  fs.mkdirSync(cache, { recursive: true })
  const making = fs.mkdtempSync(`${folder}-`)
  const { TMPDIR } = process.env
  // The package unpacks into the system's temporary folder.
  process.env.TMPDIR = making
  try {
    const archives = ['chromium.br', 'swiftshader.tar.br', 'al2023.tar.br']
    await Promise.all(archives.map((name) => inflate(fileURLToPath(new URL(name, packed)))))
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
  }
  try {
    fs.renameSync(making, folder)
  } catch (error) {
    if (!fs.existsSync(folder)) throw error
    fs.rmSync(making, { recursive: true })
  }
}
