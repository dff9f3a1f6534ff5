// First step of every command, in JavaScript that old versions of Node can run: installs missing packages and continues
// under the Node from npm.

import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** Oldest Node that can install the packages and start the Node from npm. */
const oldestNode = [20]
/** Oldest Node that runs the product. @types/node has this version, so the type checker rejects newer APIs. */
const neededNode = [24, 0]
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
/** File with the process id of npm while it installs. */
const installingFile = path.join(root, '.cache', 'installing')
// Caching compiled code halves the startup time.
const { NODE_COMPILE_CACHE: compileCache = path.join(root, '.cache', 'node') } = process.env
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP']

/**
 * Runs a TypeScript file of the project, installing missing packages first, and exits with its code.
 * @param {string} file path relative to the project folder
 * @param {{ parameters?: string[], flags?: string[], compile?: string[] }} [options] `flags` are passed to Node;
 *   `compile` are the parameters of a Node process that compiles first if nothing is compiled yet: otherwise the
 *   process of the file would keep the TypeScript compiler in memory
 */
export async function runFile(file, { parameters = process.argv.slice(2), flags = [], compile = [] } = {}) {
  if (!isAtLeast(process.versions.node, oldestNode)) {
    fail(`Tern needs Node ${oldestNode.join('.')} or newer to begin with; this is Node ${process.versions.node}.`)
  }
  const packages = choosePackages(file)
  if (!isInstalled(packages)) await install(packages)
  const node = findNode()
  const env = { ...process.env, NODE_COMPILE_CACHE: compileCache }
  const isCompiled = compile.length === 0 || fs.existsSync(compileCache) || process.env.NODE_DISABLE_COMPILE_CACHE
  if (!isCompiled) spawnSync(node, compile, { cwd: root, env, stdio: 'ignore' })
  const child = spawn(node, [...flags, path.join(root, file), ...parameters], {
    cwd: root,
    env,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  for (const signal of stopSignals) process.on(signal, () => child.kill(signal))
  const unwatch = watchNpmExit(() => child.kill('SIGTERM'))
  child.on('error', (error) => fail(`${file} could not be started: ${error.message}`))
  child.on('exit', (code, signal) => {
    unwatch()
    process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 143)
  })
}

/**
 * Calls `onExit` once npm has exited. npm runs scripts in a shell, which may exit on a signal without forwarding it.
 * @param {() => void} onExit
 * @returns {() => void} stops watching
 */
function watchNpmExit(onExit) {
  if (process.env.npm_lifecycle_event === undefined) return () => {}
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    onExit()
  }, 250)
  return () => clearInterval(timer)
}

/**
 * Returns the packages that a file needs: the product's own programs need no test browser, linter or type checker.
 * @param {string} file path relative to the project folder
 * @returns {'product' | 'all'}
 */
function choosePackages(file) {
  return file.startsWith('packages/') || file.startsWith('tools/product/') ? 'product' : 'all'
}

/**
 * Returns whether every package needed on this machine is installed in its locked version.
 * @param {'product' | 'all'} packages
 */
function isInstalled(packages) {
  const installed = readPackages(path.join(root, 'node_modules', '.package-lock.json'))
  const wanted = readPackages(path.join(root, 'package-lock.json'))
  if (installed === undefined || wanted === undefined) return false
  return Object.entries(wanted).every(([place, { version, integrity, optional, link, dev }]) => {
    if (!place.startsWith('node_modules/') && !place.includes('/node_modules/')) return true
    if (dev && packages === 'product') return true
    const installedPackage = installed[place]
    if (installedPackage === undefined) return optional === true
    return (
      installedPackage.version === version && installedPackage.integrity === integrity && installedPackage.link === link
    )
  })
}

function readPackages(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')).packages
  } catch {
    return undefined
  }
}

/**
 * Installs packages with npm. After Ctrl-C, npm would continue in the background and disturb the next start, so it runs
 * in its own process group, which is killed together with this process. The next run replaces an interrupted
 * installation.
 * @param {'product' | 'all'} packages
 */
async function install(packages) {
  await waitForOtherInstall()
  if (isInstalled(packages)) return
  console.error('Installing what Tern needs (once, about a minute) …')
  const npm = process.env.npm_execpath
  const [command, first] = npm ? [process.execPath, [npm]] : ['npm', []]
  const development = packages === 'all' ? '--include=dev' : '--omit=dev'
  const flags = ['ci', development, '--include=optional', '--no-fund', '--no-audit', '--loglevel=error']
  const child = spawn(command, [...first, ...flags], { cwd: root, stdio: 'inherit', detached: true })
  child.on('error', (error) => fail(`npm could not be started: ${error.message}`))
  fs.mkdirSync(path.dirname(installingFile), { recursive: true })
  fs.writeFileSync(installingFile, String(child.pid))
  let isInterrupted = false
  const interrupt = () => {
    isInterrupted = true
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }
  for (const signal of stopSignals) process.on(signal, interrupt)
  const code = await new Promise((resolve) => child.on('exit', resolve))
  for (const signal of stopSignals) process.off(signal, interrupt)
  fs.rmSync(installingFile, { force: true })
  if (isInterrupted) {
    console.error('Stopped. The next start installs what is missing.')
    process.exit(130)
  }
  if (code !== 0) fail('The packages could not be installed; what npm said stands above.')
}

/** Waits for another installation in this folder: concurrent ones corrupt each other. */
async function waitForOtherInstall() {
  if (!isInstalling()) return
  console.error('Waiting for another installation in this folder …')
  while (isInstalling()) await new Promise((resolve) => setTimeout(resolve, 200))
}

function isInstalling() {
  try {
    process.kill(Number(fs.readFileSync(installingFile, 'utf8')), 0)
    return true
  } catch {
    return false
  }
}

/** Returns a Node that runs the product: the one from npm, or the current one if recent and built with TypeScript. */
function findNode() {
  const installed = path.join(root, 'node_modules', '.bin', 'node')
  const { status, stdout } = spawnSync(installed, ['--version'], { encoding: 'utf8' })
  if (status === 0 && isAtLeast(stdout.trim().slice(1), neededNode)) return installed
  const needed = `Tern runs on Node ${neededNode.join('.')} or newer, and npm has none for ${process.platform}-${process.arch}`
  const currentVersion = process.versions.node
  if (!isAtLeast(currentVersion, neededNode))
    return fail(`${needed}. This is Node ${currentVersion}: install a newer one and try again.`)
  // Some distributions build Node without TypeScript support.
  if (!process.features.typescript)
    return fail(`${needed}. This Node ${currentVersion} was built without support for TypeScript.`)
  return process.execPath
}

/**
 * Returns whether a version such as `24.2.0` is at least `oldest`; missing parts count as 0.
 * @param {string} version
 * @param {number[]} oldest major, minor
 */
function isAtLeast(version, oldest) {
  const parts = version.split('.').map(Number)
  const firstDifference = oldest.findIndex((part, index) => parts[index] !== part)
  return firstDifference === -1 || parts[firstDifference] > oldest[firstDifference]
}

function fail(sentence) {
  console.error(sentence)
  process.exit(1)
}
