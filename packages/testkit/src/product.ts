// For tests: the complete product, run by its supervisor, with its own ports, folder and database.

import { randomBytes } from 'node:crypto'
import { choosePort } from '@tern/server/platform/database/embedded-postgres'
import { type Product, startProduct } from '../../../tools/product/supervisor.ts'
import { runOnce, withDatabase } from './database.ts'
import { createDataFolder, storeLogs, removeDataFolder } from './database-server.ts'
import { buildWeb } from '../../../tools/product/web-build.ts'
import { isMain } from '@tern/server/platform/runtime/is-main'

/** Environment variables of the end-to-end tests. */
export interface TestProductAddress {
  E2E_URL: string
  E2E_SANDBOX_URL: string
  /** For requests to the sandbox that require its secret, such as setting its clock. */
  E2E_SANDBOX_SECRET: string
  E2E_DATABASE_URL: string
  /** Address of the operators' desk; `E2E_DATA_DIR` is the data folder through which commands find the product. */
  E2E_ADMIN_URL: string
  E2E_DATA_DIR: string
}

export interface TestProduct {
  product: Product
  address: TestProductAddress
  /** Stops the product and deletes all its files. */
  remove(): Promise<void>
}

/**
 * Starts the product in an empty folder, with constant prices. Its database is created on the server of DATABASE_URL,
 * if set, otherwise on the bundled one. The output of its processes stays in the folder, and is shown if the start
 * fails.
 */
export async function startTestProduct(environment: NodeJS.ProcessEnv = {}): Promise<TestProduct> {
  const dataDir = createDataFolder('product')
  const externalDatabase = await createOutsideDatabase(process.env.DATABASE_URL)
  const cleanUp = async () => {
    await externalDatabase?.drop()
    storeLogs(dataDir)
    await removeDataFolder(dataDir)
  }
  const [port, sandboxPort] = [await choosePort(), await choosePort()]
  const [adminPort, workerAdminPort] = [await choosePort(), await choosePort()]
  const sandboxSecret = randomBytes(32).toString('base64url')
  try {
    const product = await startProduct({
      log: () => {},
      prepare: () => buildWeb(() => {}),
      environment: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        TMPDIR: process.env.TMPDIR,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        SANDBOX_MARKET: 'still',
        SANDBOX_FEES: 'off',
        SUPPORT_CONTACT: 'help@tern.example',
        COMPONENT_GALLERY: 'on',
        ...buildWatchEnvironment(),
        ...environment,
        ...(externalDatabase === undefined ? {} : { DATABASE_URL: externalDatabase.url }),
        DATA_DIR: dataDir,
        PORT: String(port),
        SANDBOX_PORT: String(sandboxPort),
        ADMIN_PORT: String(adminPort),
        WORKER_ADMIN_PORT: String(workerAdminPort),
        SANDBOX_SECRET: sandboxSecret,
      },
    })
    const address = {
      E2E_URL: product.url,
      E2E_SANDBOX_URL: product.sandboxUrl ?? '',
      E2E_SANDBOX_SECRET: sandboxSecret,
      E2E_DATABASE_URL: product.databaseUrl,
      E2E_ADMIN_URL: product.adminUrl ?? '',
      E2E_DATA_DIR: dataDir,
    }
    const remove = async () => {
      await product.stop()
      await cleanUp()
    }
    return { product, address, remove }
  } catch (error) {
    await cleanUp()
    throw error
  }
}

/** If the logs of the run are collected, lets processes log everything and record their secrets. */
function buildWatchEnvironment(): NodeJS.ProcessEnv {
  const { TERN_TEST_LOGS } = process.env
  if (TERN_TEST_LOGS === undefined) return {}
  const program = new URL('../../../tools/rules/watch-secrets.ts', import.meta.url).href
  return { TERN_TEST_LOGS, LOG_LEVEL: 'debug', NODE_OPTIONS: `--import ${program}` }
}

async function createOutsideDatabase(
  serverUrl: string | undefined,
): Promise<{ url: string; drop: () => Promise<void> } | undefined> {
  if (serverUrl === undefined) return undefined
  const name = `tern_product_${randomBytes(4).toString('hex')}`
  await runOnce(serverUrl, `create database ${name}`)
  const drop = async () => void (await runOnce(serverUrl, `drop database ${name} with (force)`))
  return { url: withDatabase(serverUrl, name), drop }
}

// As a program, sends its addresses to the parent process, and ends with it.
if (isMain(import.meta)) {
  const { address, remove } = await startTestProduct()
  const end = () => void remove().then(() => process.exit(0))
  process.once('disconnect', end)
  process.once('SIGTERM', end)
  process.on('SIGINT', () => {})
  if (process.send === undefined) console.log(address)
  else process.send(address)
}
