// Finds the browser for journeys, screens and measurements: CHROMIUM_PATH, then an installed Chromium or Chrome, then
// the npm package. The headless shell is the same browser without window rendering, and needs a third less CPU.

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

const packedFolder = new URL('../node_modules/@sparticuz/chromium/bin/', import.meta.url)
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

/** Flags that make the browser use files on disk where shared memory is too small, as in most containers. */
const sharedMemoryFlags = (): string[] => (temporaryFolder() === memoryFolder ? [] : ['--disable-dev-shm-usage'])

/** Returns launch options for Playwright. Throws if CHROMIUM_PATH names a missing file. */
export async function findBrowser(): Promise<Browser> {
  const configuredPath = process.env.CHROMIUM_PATH
  if (configuredPath !== undefined && !fs.existsSync(configuredPath))
    throw new Error(`CHROMIUM_PATH names ${configuredPath}, which does not exist.`)
  const executablePath = configuredPath ?? places.find((place) => fs.existsSync(place))
  const all = [...args, ...sharedMemoryFlags()]
  return executablePath === undefined ? launchNpmBrowser(all) : { executablePath, args: all }
}

// Does not use the package's own arguments, which disable web security and would invalidate tests.
async function launchNpmBrowser(args: string[]): Promise<Browser> {
  const folder = path.join(cache, manifest.devDependencies['@sparticuz/chromium'])
  if (!fs.existsSync(folder)) await unpack(folder)
  const environment = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return {
    executablePath: path.join(folder, 'chromium'),
    args,
    env: { ...Object.fromEntries(environment), LD_LIBRARY_PATH: path.join(folder, 'al2023', 'lib') },
  }
}

/** Unpacks the browser into a sibling folder and renames it at the end, so that `folder` is never incomplete. */
async function unpack(folder: string): Promise<void> {
  const { inflate } = await import('@sparticuz/chromium')
  fs.mkdirSync(cache, { recursive: true })
  const temporaryPath = fs.mkdtempSync(`${folder}-`)
  const { TMPDIR } = process.env
  // The package unpacks into the system's temporary folder.
  process.env.TMPDIR = temporaryPath
  try {
    const archives = ['chromium.br', 'swiftshader.tar.br', 'al2023.tar.br']
    await Promise.all(archives.map((name) => inflate(fileURLToPath(new URL(name, packedFolder)))))
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
  }
  try {
    fs.renameSync(temporaryPath, folder)
  } catch (error) {
    if (!fs.existsSync(folder)) throw error
    fs.rmSync(temporaryPath, { recursive: true })
  }
}
