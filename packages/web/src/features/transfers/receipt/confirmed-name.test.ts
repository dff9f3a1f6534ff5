import type { Transaction } from '@tern/contract/transactions'
import { expect, test } from 'vitest'
import type { SavedTransfer } from '../pending-transfer.ts'
import { applyConfirmedName } from './confirmed-name.ts'

const createSend = (name: string | null) =>
  ({ counterparty: { id: 1, username: 'lucas', name, country: 'FR' } }) as unknown as Transaction
const confirmed = (name: string | null, id = 1) =>
  ({ recipientInfo: { id, username: 'lucas', name, base_currency: 'EUR' } }) as unknown as SavedTransfer

test.each([
  ['L. M.', 'Lucas Moreau', 'Lucas Moreau'],
  ['L. D. L. F.', 'Lucas de la  Fontaine', 'Lucas de la  Fontaine'],
  ['Ł. Ö.', 'Łukasz Öz', 'Łukasz Öz'],
  ['S.', 'Sukarno', 'Sukarno'],
  ['山.', '山田', '山田'],
])('initials %s of a send are the confirmed %s to its sender', (listedName, name, expected) => {
  expect(applyConfirmedName(createSend(listedName), confirmed(name)).counterparty?.name).toBe(expected)
})

test.each([
  ['another person', 'L. M.', confirmed('Lucas Moreau', 2)],
  ['a name with other initials', 'L. M.', confirmed('Rosa Tester')],
  ['a person without a name', 'L. M.', confirmed(null)],
  ['nothing', 'L. M.', undefined],
  ['the name as it was once, where the server shows it whole', 'Lucas Moreau', confirmed('Lucas Martin')],
])('%s on the device changes no names', (_what, listedName, saved) => {
  expect(applyConfirmedName(createSend(listedName), saved).counterparty?.name).toBe(listedName)
})
