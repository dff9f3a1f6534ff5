// Checks of our account at Kraken: clock, key, its rights, balances and markets. No check trades or moves money.

import type { UnknownOutcome } from '../outcome.ts'
import { fault, notChecked, ok, type ProviderSetup, type SetupFinding, warning } from '../setup.ts'
import { readSafeInteger, readText } from '../json.ts'
import { readDecimal } from './kraken-decimals.ts'
import { type KrakenAnswer, type KrakenHttp, toUnknown } from './kraken-http.ts'
import type { Markets } from './kraken-markets.ts'

const maxClockSeconds = 5

const again = 'Run this check again.'
const isDenied = (answer: KrakenAnswer): boolean =>
  answer.status === 'failed' && answer.errors.some((error) => error.startsWith('EGeneral:Permission denied'))
const isKeyRefused = (answer: KrakenAnswer): boolean =>
  answer.status === 'failed' && answer.errors.some((error) => /^EAPI:Invalid (key|signature)/.test(error))
const isNonceRefused = (answer: KrakenAnswer): boolean =>
  answer.status === 'failed' && answer.errors.includes('EAPI:Invalid nonce')

async function checkClock({ ask }: KrakenHttp): Promise<SetupFinding[]> {
  const answer = await ask('Time')
  if (answer.status !== 'answered') return [notChecked(`${toUnknown(answer).reason}.`, again)]
  const seconds = readSafeInteger(answer.result, 'unixtime')
  if (seconds === undefined) return [notChecked('Kraken answered without a time.', again)]
  const difference = Math.round(Date.now() / 1000 - seconds)
  const found = `This machine's clock differs from Kraken's by ${Math.abs(difference)} s.`
  if (Math.abs(difference) <= maxClockSeconds) return [ok(found)]
  return [warning(found, "Synchronize the clock: each call's number comes from it.")]
}

/** Rights that trading needs: each call changes nothing, and fails only without its right. */
const neededRights = [
  ['Query funds', 'Balance', {}],
  ['Query open orders & trades', 'OpenOrders', {}],
  ['Query closed orders & trades', 'ClosedOrders', { without_count: 'true' }],
  ['Query ledger entries', 'Ledgers', { type: 'trade', without_count: 'true' }],
  // Checked and not placed.
  [
    'Create & modify orders',
    'AddOrder',
    { ordertype: 'market', type: 'buy', pair: 'XBTUSD', volume: '0.001', validate: 'true' },
  ],
] as const

async function checkKey({ call }: KrakenHttp): Promise<SetupFinding[]> {
  const denied: string[] = []
  for (const [right, name, fields] of neededRights) {
    const answer = await call(name, fields)
    if (isKeyRefused(answer))
      return [fault('Kraken refuses the key.', 'Set KRAKEN_API_KEY and KRAKEN_API_SECRET of one key.')]
    if (isNonceRefused(answer)) {
      const todo = 'Use the key in this installation only, give it a nonce window, and see that no clock was set back.'
      return [fault('Kraken has seen higher numbers of calls (EAPI:Invalid nonce).', todo)]
    }
    if (isDenied(answer)) denied.push(right)
    else if (answer.status === 'unknown') return [notChecked(`${answer.reason}.`, again)]
  }
  if (denied.length === 0) return [ok('The key may query and trade.')]
  return [fault(`The key lacks ${denied.join(', ')}.`, 'Give it these rights at Kraken.')]
}

/** Asks for the fee of a withdrawal to an address that does not exist, which only a key with that right may do. */
async function checkWithdrawals({ call }: KrakenHttp): Promise<SetupFinding[]> {
  const answer = await call('WithdrawInfo', { asset: 'XBT', key: 'tern-has-no-such-address', amount: '0.01' })
  if (isDenied(answer)) return [ok('The key may not withdraw.')]
  const isAllowed =
    answer.status === 'answered' ||
    (answer.status === 'failed' && answer.errors.some((error) => error.startsWith('EFunding:')))
  if (!isAllowed) return [notChecked(`${toUnknown(answer).reason}.`, again)]
  return [warning('The key may withdraw.', 'Take the right "Withdraw funds" from it: a thief could use it.')]
}

async function checkBalances(
  { call }: KrakenHttp,
  loadMarkets: () => Promise<Markets | UnknownOutcome>,
): Promise<SetupFinding[]> {
  const markets = await loadMarkets()
  if (markets.status !== 'known') return [notChecked(`${markets.reason}.`, again)]
  const answer = await call('Balance')
  if (answer.status !== 'answered') return [notChecked(`${toUnknown(answer).reason}.`, again)]
  const { result } = answer
  const balances = [...markets.currencies].flatMap(([asset, currency]) => {
    const text = readText(result, asset)
    return (readDecimal(text)?.digits ?? 0n) > 0n ? [`${text} ${currency}`] : []
  })
  if (balances.length > 0) return [ok(`The account has ${balances.join(', ')}.`)]
  return [warning('The account is empty.', 'Fund it: Kraken refuses orders that it cannot cover.')]
}

export function createKrakenSetup(
  http: KrakenHttp,
  loadMarkets: () => Promise<Markets | UnknownOutcome>,
): ProviderSetup {
  return {
    topics: [
      { name: 'clock', tried: "Reads Kraken's clock." },
      { name: 'key', tried: 'Tries each right that trading needs; no order is placed.' },
      { name: 'withdrawals', tried: 'Asks for the fee of a withdrawal to an unknown address.' },
      { name: 'balances', tried: 'Reads the balances.' },
    ],
    async check(topic) {
      if (topic === 'clock') return checkClock(http)
      if (topic === 'key') return checkKey(http)
      if (topic === 'withdrawals') return checkWithdrawals(http)
      return checkBalances(http, loadMarkets)
    },
  }
}
