// Checks of our balance platform at Adyen: key, balance account, and what its key cannot see.

import { isCurrencyCode } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'
import { isDone, isForbidden, type AdyenLook, lookAtAdyen } from './adyen-look.ts'
import type { AdyenSettings } from './adyen-payouts.ts'
import { readList, readSafeInteger, readText } from './json.ts'
import { fault, type Installation, notChecked, ok, type ProviderSetup, type SetupFinding, warning } from './setup.ts'

const keyTodo = 'Set ADYEN_API_KEY to a key with the role that initiates and reads transfers of the balance account.'

/** Lists transfers of one day, and orders one without any detail, which Adyen refuses as invalid if the key may order. */
async function checkKey({ apiKey, apiUrl, balanceAccount }: AdyenSettings): Promise<SetupFinding[]> {
  const query = new URLSearchParams({
    balanceAccountId: balanceAccount,
    createdSince: '2026-01-01T00:00:00Z',
    createdUntil: '2026-01-02T00:00:00Z',
    limit: '1',
  })
  const [reading, ordering] = await Promise.all([
    lookAtAdyen(apiKey, `${apiUrl}/btl/v4/transfers?${query.toString()}`),
    lookAtAdyen(apiKey, `${apiUrl}/btl/v4/transfers`, 'POST'),
  ])
  return [
    judgeKey(reading, 'read', 'Lists one transfer of the balance account.'),
    judgeKey(ordering, 'order', 'Orders a transfer without amount or payee, which Adyen must refuse as invalid.'),
  ]
}

function judgeKey(seen: AdyenLook, access: 'read' | 'order', tried: string): SetupFinding {
  if (seen.status === 'unknown') return notChecked(seen.reason, 'Run this check again.', tried)
  const { httpStatus } = seen
  if (isForbidden(httpStatus)) return fault(`The key may not ${access} transfers (${httpStatus}).`, keyTodo, tried)
  const isExpected = access === 'read' ? isDone(httpStatus) : httpStatus === 422 || httpStatus === 400
  if (isExpected) return ok(`The key may ${access} transfers.`, tried)
  return notChecked(`Adyen answered ${httpStatus}.`, 'Run this check again.', tried)
}

async function checkAccount({ apiKey, apiUrl, balanceAccount }: AdyenSettings): Promise<SetupFinding[]> {
  const seen = await lookAtAdyen(apiKey, `${apiUrl}/bcl/v2/balanceAccounts/${encodeURIComponent(balanceAccount)}`)
  if (seen.status === 'unknown') return [notChecked(seen.reason, 'Run this check again.')]
  const { httpStatus, body } = seen
  if (isForbidden(httpStatus)) {
    const todo = 'Give the key the role "Balance Platform BCL role", or look at the account in the Customer Area.'
    return [notChecked(`The key may not read balance accounts (${httpStatus}).`, todo)]
  }
  if (httpStatus === 404 || httpStatus === 422) {
    return [fault(`Adyen has no balance account ${balanceAccount}.`, 'Set ADYEN_BALANCE_ACCOUNT to an id of this key.')]
  }
  const status = readText(body, 'status')
  if (!isDone(httpStatus) || status === undefined) {
    return [notChecked(`Adyen answered ${httpStatus}, without a state.`, 'Run this check again.')]
  }
  if (status !== 'active') return [fault(`${balanceAccount} is ${status}.`, 'Ask Adyen to activate it.')]
  return [judgeBalances(balanceAccount, readList(body, 'balances') ?? [])]
}

function judgeBalances(account: string, balances: readonly unknown[]): SetupFinding {
  const texts = balances.map((each) => {
    const code = readText(each, 'currency') ?? ''
    const available = readSafeInteger(each, 'available')
    const isKnown = isCurrencyCode(code) && available !== undefined
    const text = isKnown ? `${toDecimal(money(code, BigInt(available)))} ${code}` : `an unknown amount of ${code}`
    return { code, text, isEmpty: (available ?? 0) <= 0 }
  })
  const found = `${account} is active and has ${texts.map(({ text }) => text).join(', ') || 'no balance'}.`
  const empty = texts.filter(({ isEmpty }) => isEmpty).map(({ code }) => code)
  if (texts.length > 0 && empty.length === 0) return ok(found)
  return warning(found, `Fund it in ${empty.join(', ') || 'each currency'}: Adyen refuses what it cannot cover.`)
}

export function createAdyenSetup(settings: AdyenSettings): ProviderSetup {
  return {
    topics: [
      { name: 'key', tried: 'Tries ADYEN_API_KEY.' },
      { name: 'balance_account', tried: 'Reads the balance account that pays withdrawals.' },
      { name: 'webhooks', tried: "Lists Adyen's webhooks." },
    ],
    async check(topic, { publicUrl }: Installation) {
      if (topic === 'key') return checkKey(settings)
      if (topic === 'balance_account') return checkAccount(settings)
      const address = `${publicUrl}/api/webhooks/adyen`
      return [
        notChecked(
          'A key of the Transfers API cannot list webhooks.',
          `See in the Customer Area that a transfer webhook sends to ${address}, and test it there.`,
        ),
      ]
    },
  }
}
