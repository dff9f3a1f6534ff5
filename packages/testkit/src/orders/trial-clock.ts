// For tests: a clock in the database, shared by several processes, which record in `trial.pass` what they have handled.

import type { Db } from '@tern/server/platform/database/db'

export async function createTrialClock(ownerDb: Db, start: Date): Promise<void> {
  await ownerDb.query(`create schema trial`)
  await ownerDb.query(`create table trial.clock (at timestamptz not null, mark integer not null)`)
  await ownerDb.query(`create table trial.pass (mark integer not null)`)
  await ownerDb.query(`insert into trial.clock values ($1, 0)`, [start])
  await ownerDb.query(`grant usage on schema trial to public`)
  await ownerDb.query(`grant select on trial.clock to public`)
  await ownerDb.query(`grant insert on trial.pass to public`)
}

export async function readTrialClock(db: Db): Promise<{ at: Date; mark: number }> {
  const { rows } = await db.query<{ at: Date; mark: number }>('select at, mark from trial.clock')
  if (!rows[0]) throw new Error('the trial has no clock')
  return rows[0]
}
