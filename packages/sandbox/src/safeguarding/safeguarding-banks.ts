import { ApiError, newId, requireFound, throwFieldError } from '../server/api.ts'
import type { Clock } from '../control/clock.ts'
import { currencyDecimals } from '../server/currency.ts'
import type { Fields } from '../server/fields.ts'
import type { Store } from '../server/store.ts'

const atBreakwater = ['EUR', 'JPY', 'INR', 'BRL']

/** Banks that keep the designated accounts of customers' money, each in some currencies. */
const currenciesOf: Readonly<Record<string, readonly string[]>> = {
  anchorage: [...currencyDecimals.keys()].filter((currency) => !atBreakwater.includes(currency)),
  breakwater: atBreakwater,
}

const bankOf = (currency: string): string =>
  Object.keys(currenciesOf).find((bank) => currenciesOf[bank]?.includes(currency)) ?? ''

/** Entry in the books of a safeguarding bank, in the form of its statements. */
export interface BankEntry {
  id: string
  /** Change of the account in minor units, with its sign. */
  amount_minor: string
  /** Id of the provider's payment, of the product's transfer, or of the entry that it corrects; null if there is none. */
  reference: string | null
  /** Day on whose statement it stands. */
  booked_on: string
  /** Day from which the money counts. */
  value_on: string
}

interface StoredEntry extends BankEntry {
  bank: string
  currency: string
  /** 1 for an entry that changes the balance and stands on no statement. */
  hidden: number
}

interface AccountStatement {
  currency: string
  opening_minor: string
  closing_minor: string
  entries: BankEntry[]
}

interface Unavailability {
  bank: string
  /** Day whose statement the bank does not give; empty for all of them. */
  day: string
}

const unavailableSetting = 'safeguarding_unavailable'
const bookedSetting = 'safeguarding_booked'
const dayPattern = /^\d{4}-\d{2}-\d{2}$/
const amountPattern = /^-?[1-9]\d*$/
const listedCount = 500
const columns = 'id, bank, currency, amount_minor, reference, booked_on, value_on, hidden'

const toDay = (at: Date): string => at.toISOString().slice(0, 'yyyy-mm-dd'.length)

const addDays = (day: string, count: number): string => {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + count)
  return toDay(date)
}

const requireBank = (bank: string): readonly string[] => requireFound(currenciesOf[bank], 'bank')

const sum = (entries: readonly StoredEntry[]): bigint =>
  entries.reduce((total, { amount_minor: minor }) => total + BigInt(minor), 0n)

const toEntry = ({ id, amount_minor, reference, booked_on, value_on }: StoredEntry): BankEntry => ({
  id,
  amount_minor,
  reference,
  booked_on,
  value_on,
})

/** Reads a signed amount other than zero; empty after a field error. */
const readAmount = (fields: Fields): string =>
  fields.text('amount_minor', {
    max: 20,
    pattern: amountPattern,
    message: 'Must be a whole number of the smallest unit, not zero, as a text of digits with a sign.',
  })

function readCurrency(fields: Fields, allowed: Iterable<string>): string {
  const currency = fields.text('currency', { max: 3 })
  const names = [...allowed]
  if (currency && !names.includes(currency)) fields.addProblem('currency', `Must be one of ${names.join(', ')}.`)
  return currency
}

const readDay = (fields: Fields, name: string): string =>
  fields.text(name, { max: 10, optional: true, pattern: dayPattern, message: 'Must be a day such as 2026-03-01.' })

export type SafeguardingBanks = ReturnType<typeof createSafeguardingBanks>

/**
 * Banks with the accounts in which the product's operator safeguards customers' money. Their books follow what the
 * payment processor pays to and takes from the operator's bank, and the transfers that the product orders.
 */
export function createSafeguardingBanks(store: Store, clock: Clock) {
  const insert = (entry: StoredEntry): void => store.insert('safeguarding_entry', { ...entry })

  /** Books the processor's transfers that are not booked yet, each on the day it was made. */
  function bookTransfers(): void {
    const booked = store.setting<number>(bookedSetting) ?? 0
    const lines = store.all<{
      number: number
      id: string
      amount_minor: string
      currency: string
      occurred_at: string
    }>(
      `select number, id, amount_minor, currency, occurred_at from own_line
        where number > ? and kind = 'bank_transfer' order by number`,
      booked,
    )
    const last = lines.at(-1)
    if (!last) return
    store.transact(() => {
      for (const { id, amount_minor, currency, occurred_at } of lines) {
        const day = toDay(new Date(occurred_at))
        insert({
          ...{ id: newId('sge'), bank: bankOf(currency), currency, amount_minor: String(-BigInt(amount_minor)) },
          ...{ reference: id, booked_on: day, value_on: day, hidden: 0 },
        })
      }
      store.saveSetting(bookedSetting, last.number)
    })
  }

  const find = (id: string): StoredEntry =>
    requireFound(store.get<StoredEntry>(`select ${columns} from safeguarding_entry where id = ?`, id), 'entry')

  const listUnavailable = (): Unavailability[] => store.setting<Unavailability[]>(unavailableSetting) ?? []

  const actions: Readonly<Record<string, (entry: StoredEntry) => void>> = {
    /** Books the entry a day later; its value date stays. */
    postpone: ({ id, booked_on: day }) => store.update('safeguarding_entry', id, { booked_on: addDays(day, 1) }),
    duplicate: (entry) => insert({ ...entry, id: newId('sge') }),
    /** Books the entry in another currency of the same bank, with the same number of minor units. */
    wrong_currency({ id, bank, currency }) {
      const other = requireBank(bank).find((code) => code !== currency) ?? currency
      store.update('safeguarding_entry', id, { currency: other })
    },
    /** Adds an entry of today that takes this one back and names it. */
    correct(entry) {
      const day = toDay(clock.now())
      const amount_minor = String(-BigInt(entry.amount_minor))
      insert({ ...entry, id: newId('sge'), amount_minor, reference: entry.id, booked_on: day, value_on: day })
    },
  }

  return {
    executeDue: bookTransfers,
    /** Returns a finished day's statement. Throws ApiError 404 if the bank has none, and 409 while the day lasts. */
    readStatement(bank: string, day: string): { day: string; accounts: AccountStatement[] } {
      const currencies = requireBank(bank)
      if (!dayPattern.test(day)) throwFieldError('day', 'Must be a day such as 2026-03-01.')
      if (day >= toDay(clock.now())) throw new ApiError(409, 'day_not_over', 'This day is not over.')
      if (listUnavailable().some((gap) => gap.bank === bank && (gap.day === '' || gap.day === day))) {
        throw new ApiError(404, 'no_statement', 'There is no statement of this day yet.')
      }
      bookTransfers()
      const accounts = currencies.map((currency) => {
        const entries = store.all<StoredEntry>(
          `select ${columns} from safeguarding_entry where bank = ? and currency = ? and booked_on <= ? order by number`,
          bank,
          currency,
          day,
        )
        const ofDay = entries.filter(({ booked_on: bookedOn }) => bookedOn === day)
        const closing = sum(entries)
        return {
          currency,
          opening_minor: String(closing - sum(ofDay)),
          closing_minor: String(closing),
          entries: ofDay.filter(({ hidden }) => hidden === 0).map(toEntry),
        }
      })
      return { day, accounts }
    },
    /** Books a transfer between the operator's own account and a designated account; once per `id`. */
    transfer(bank: string, fields: Fields): BankEntry {
      const currencies = requireBank(bank)
      const reference = fields.text('id', { max: 100 })
      const amount_minor = readAmount(fields)
      const currency = readCurrency(fields, currencies)
      fields.check()
      const existing = store.get<StoredEntry>(
        `select ${columns} from safeguarding_entry where reference = ? and bank = ? order by number limit 1`,
        reference,
        bank,
      )
      if (existing) return toEntry(existing)
      const day = toDay(clock.now())
      const dates = { booked_on: day, value_on: day }
      const entry = { id: newId('sge'), bank, currency, amount_minor, reference, ...dates, hidden: 0 }
      insert(entry)
      return toEntry(entry)
    },
    /** Adds an entry that no one ordered: below zero, money is missing; above zero, there is too much. */
    add(fields: Fields): StoredEntry {
      const currency = readCurrency(fields, currencyDecimals.keys())
      const amount_minor = readAmount(fields)
      const bookedOn = readDay(fields, 'booked_on') || toDay(clock.now())
      const reference = fields.text('reference', { max: 100, optional: true }) || null
      const hidden = fields.flag('hidden') === true ? 1 : 0
      fields.check()
      const dates = { booked_on: bookedOn, value_on: bookedOn }
      const entry = { id: newId('sge'), bank: bankOf(currency), currency, amount_minor, reference, ...dates, hidden }
      insert(entry)
      return entry
    },
    /** Changes an entry. Throws ApiError 404 for an unknown entry or action. */
    execute(id: string, action: string): StoredEntry {
      bookTransfers()
      const entry = find(id)
      requireFound(Object.hasOwn(actions, action) ? actions[action] : undefined, 'action')(entry)
      return find(id)
    },
    list: () => {
      bookTransfers()
      const entries = store.all<StoredEntry>(
        `select ${columns} from safeguarding_entry order by number desc limit ?`,
        listedCount,
      )
      return { unavailable: listUnavailable(), entries }
    },
    /** Withholds the statements of a bank, of one day or of all; without a bank, all are given again. */
    withhold(fields: Fields): Unavailability[] {
      const bank = fields.text('bank', { max: 20, optional: true })
      const day = readDay(fields, 'day')
      if (bank && !Object.hasOwn(currenciesOf, bank)) {
        fields.addProblem('bank', `Must be one of ${Object.keys(currenciesOf).join(', ')}.`)
      }
      fields.check()
      store.saveSetting(unavailableSetting, bank ? [...listUnavailable(), { bank, day }] : [])
      return listUnavailable()
    },
  }
}
