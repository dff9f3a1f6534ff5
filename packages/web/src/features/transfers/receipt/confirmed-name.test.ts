import type { Transaction } from '@tern/contract/transactions'
import { expect, test } from 'vitest'
import type { SavedTransfer } from '../pending-transfer.ts'
import { applyConfirmedName } from './confirmed-name.ts'

const createSend = (name: string | null) =>
  ({ counterparty: { id: 1, username: 'lucas', name, country: 'FR' } }) as unknown as Transaction
const createConfirmed = (name: string | null, id = 1) =>
  ({ recipientInfo: { id, username: 'lucas', name, base_currency: 'EUR' } }) as unknown as SavedTransfer

test.each([
  ['L. M.', 'Lucas Moreau', 'Lucas Moreau'],
  ['L. D. L. F.', 'Lucas de la  Fontaine', 'Lucas de la  Fontaine'],
  ['Ł. Ö.', 'Łukasz Öz', 'Łukasz Öz'],
  ['S.', 'Sukarno', 'Sukarno'],
  ['山.', '山田', '山田'],
])('initials %s of a send are the confirmed %s to its sender', (listedName, name, expected) => {
  expect(applyConfirmedName(createSend(listedName), createConfirmed(name)).counterparty?.name).toBe(expected)
})

test.each([
  ['another person', 'L. M.', createConfirmed('Lucas Moreau', 2)],
  ['a name with other initials', 'L. M.', createConfirmed('Rosa Tester')],
  ['a person without a name', 'L. M.', createConfirmed(null)],
  ['nothing', 'L. M.', undefined],
  ['the name as it was once, where the server shows it whole', 'Lucas Moreau', createConfirmed('Lucas Martin')],
])('%s on the device changes no names', (_what, listedName, saved) => {
  expect(applyConfirmedName(createSend(listedName), saved).counterparty?.name).toBe(listedName)
})
