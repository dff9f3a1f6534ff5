import { expect, test } from 'vitest'
import { isFullRun } from '@tern/testkit/length'
import { decideCallFate, decideEventFate } from './faults.ts'
import { planMovements } from './plan.ts'
import { runSimulation } from './run.ts'

// The default is fixed, so that runs are comparable; another seed produces another run.
const seed = process.env.SIMULATION_SEED ?? 'arctic'
// Plans more movements than required, since some fail before money moves. The long tests run at full length.
const { planned, movements, kills, events } = isFullRun
  ? { planned: 2200, movements: 2000, kills: 5, events: 50 }
  : { planned: 236, movements: 200, kills: 1, events: 10 }

test('a seed decides all actions and faults', () => {
  expect(planMovements(seed, 200, 12)).toEqual(planMovements(seed, 200, 12))
  expect(planMovements('another', 200, 12)).not.toEqual(planMovements(seed, 200, 12))
  const amounts = Array.from({ length: 200 }, (_, index) => String(1000 + index))
  const faults = () =>
    amounts.map((amount) => [decideCallFate(seed, amount, 0), decideEventFate(seed, 'debit.paid', amount)])
  expect(faults()).toEqual(faults())
})

test(`at least ${movements} movements in and out with lost calls, duplicated and dropped events and a killed product`, async () => {
  const report = await runSimulation({ seed, movements: planned, print: () => {} })
  expect(report.faults).toEqual([])
  expect(report.externalMovements).toBeGreaterThanOrEqual(movements)
  // Requires each kind of fault to have occurred often enough.
  expect(report.kills).toBeGreaterThanOrEqual(kills)
  for (const fault of ['fails', 'loses_answer']) expect(report.calls.get(fault), fault).toBeGreaterThan(3)
  expect(report.calls.get('hangs')).toBeGreaterThan(isFullRun ? 3 : 0)
  for (const fault of ['dropped', 'delivered_repeatedly', 'resent_as_new_event']) {
    expect(report.events.get(fault), fault).toBeGreaterThan(events)
  }
  for (const outcome of [
    'deposit by bank completed',
    'deposit by bank failed',
    'deposit by card completed',
    'deposit by card reversed',
    'send by bank completed',
    'send by card completed',
    'send by card failed',
    'send by wallet_partial completed',
    'send by wallet_partial failed',
    'withdrawal completed',
    'withdrawal failed',
    'withdrawal returned',
    'held funded_send settled',
    'held payout settled',
    'held payout cancelled',
    'held payout rejected',
  ]) {
    expect(report.outcomeCounts[outcome] ?? 0, outcome).toBeGreaterThan(0)
  }
})
