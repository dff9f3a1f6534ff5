import fs from 'node:fs/promises'
import path from 'node:path'
import { readSqlState } from '@tern/ledger/ledger'
import { fault, notChecked, ok, type SetupFinding, warning } from '@tern/providers/setup'
import { onlyRow } from '../../platform/database/db.ts'
import type { Check, DoctorContext, Machine } from './check.ts'

const gigabyte = 1024 ** 3
const lowestFreeBytes = gigabyte
const lowestFreeShare = 5
const lowFreeShare = 15

async function judgeDisk({ readDisk }: Machine, folder: string): Promise<SetupFinding> {
  const { free, total } = await readDisk(folder)
  const share = Math.floor((free * 100) / total) // not money: a share of the disk
  const size = (free / gigabyte).toFixed(1) // not money: gigabytes
  const found = `${size} GB (${share} %) are free on the disk of ${folder}.`
  if (free < lowestFreeBytes || share < lowestFreeShare)
    return fault(found, 'Free some space, or enlarge the disk, now.')
  return share < lowFreeShare ? warning(found, 'Free some space, or enlarge the disk.') : ok(found)
}

/** Returns the folder itself, or the nearest one above that exists. */
async function findExistingFolder(folder: string): Promise<string> {
  const exists = await fs.access(folder).then(
    () => true,
    () => false,
  )
  return exists || path.dirname(folder) === folder ? folder : findExistingFolder(path.dirname(folder))
}

const checkDataDisk = async ({ config, machine }: DoctorContext): Promise<readonly SetupFinding[]> => [
  await judgeDisk(machine, await findExistingFolder(config.dataDir)),
]

const insufficientPrivilege = '42501'

async function checkDatabaseDisk({ db, ownerDb, machine }: DoctorContext): Promise<readonly SetupFinding[]> {
  const { rows: sizes } = await db.query<{ size: string; address: string | null }>(
    `select pg_size_pretty(pg_database_size(current_database())) as size, host(inet_server_addr()) as address`,
  )
  const { size, address } = onlyRow(sizes)
  const isHere = address === null || address === '127.0.0.1' || address === '::1'
  const todo = 'Watch the free space of its data and log folders on its own machine.'
  if (!isHere) return [notChecked(`The database has ${size}, on another machine.`, todo)]
  try {
    const { rows } = await (ownerDb ?? db).query<{ folder: string }>(
      `select current_setting('data_directory') as folder`,
    )
    const finding = await judgeDisk(machine, onlyRow(rows).folder)
    return [{ ...finding, found: `The database has ${size}. ${finding.found}` }]
  } catch (error) {
    if (readSqlState(error) !== insufficientPrivilege) throw error
    return [notChecked(`The database has ${size}; this role may not see its folder.`, todo)]
  }
}

export const diskChecks: readonly Check[] = [
  { name: 'disk.data', tried: 'Reads the free space of the disk with DATA_DIR.', run: checkDataDisk },
  { name: 'disk.database', tried: "Reads the free space of the database's disk.", run: checkDatabaseDisk },
]
