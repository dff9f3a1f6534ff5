import { demoAccounts } from './demo-accounts.ts'

export interface DemoPerson {
  readonly key: string
  readonly email: string
  readonly password: string
  readonly firstName: string
  readonly lastName: string
  readonly country: string
  readonly city: string
  readonly idNumber: string
}

/** Action at `hour` (UTC), `daysAgo` days before today; amounts are decimals in the actor's base currency. */
export type DemoStep = {
  readonly daysAgo: number
  readonly hour: string
  readonly by: string
  readonly amount: string
} & (
  | { readonly kind: 'deposit' }
  | { readonly kind: 'send'; readonly to: string; readonly note: string }
  | { readonly kind: 'exchange'; readonly into: 'USDT' }
)

const [ines, lucas] = demoAccounts

/** Returns a name in lower case and without diacritics, for usernames and addresses. */
export const plainName = (name: string): string => name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()

/** The two demo accounts and their contacts, whose passwords are not public. */
export const people: readonly DemoPerson[] = [
  person('Ines', 'Okafor', { country: 'United States', city: 'Austin', idNumber: '412-55-7781' }, ines),
  person('Lucas', 'Moreau', { country: 'France', city: 'Lyon', idNumber: '1 85 05 78006 084 91' }, lucas),
  person('Grace', 'Tan', { country: 'Singapore', city: 'Singapore', idNumber: 'S1234567D' }),
  person('Amelia', 'Hart', { country: 'United Kingdom', city: 'London', idNumber: 'JG103759A' }),
  person('Priya', 'Raman', { country: 'India', city: 'Mumbai', idNumber: '2345 6789 1238' }),
  person('João', 'Siqueira', { country: 'Brazil', city: 'São Paulo', idNumber: '529.982.247-25' }),
  person('Kenji', 'Watanabe', { country: 'Japan', city: 'Tokyo', idNumber: '1234-5678-9018' }),
]

function person(
  firstName: string,
  lastName: string,
  home: Pick<DemoPerson, 'country' | 'city' | 'idNumber'>,
  login?: Pick<DemoPerson, 'email' | 'password'>,
): DemoPerson {
  const key = plainName(firstName)
  const { email, password } = login ?? { email: `${key}@people.tern.example`, password: crypto.randomUUID() }
  return { key, email, password, firstName, lastName, ...home }
}

function deposit(daysAgo: number, hour: string, by: string, amount: string): DemoStep {
  return { kind: 'deposit', daysAgo, hour, by, amount }
}

function send(daysAgo: number, hour: string, by: string, to: string, amount: string, note: string): DemoStep {
  return { kind: 'send', daysAgo, hour, by, amount, to, note }
}

/** A plausible quarter: income from abroad, shared rent, family, small purchases. */
export const demoSteps: readonly DemoStep[] = [
  deposit(91, '08:12', 'grace', '12000.00'),
  deposit(91, '08:40', 'amelia', '4000.00'),
  deposit(91, '09:05', 'kenji', '400000'),
  deposit(90, '08:00', 'ines', '3200.00'),
  deposit(90, '09:30', 'lucas', '2400.00'),
  send(88, '09:15', 'ines', 'lucas', '400.00', 'Rent share, rue Mercière'),
  send(86, '18:42', 'grace', 'ines', '1850.00', 'Design retainer, August'),
  send(83, '21:07', 'ines', 'priya', '150.00', 'For Amma'),
  send(80, '12:20', 'lucas', 'amelia', '86.50', 'Concert tickets'),
  send(77, '16:03', 'ines', 'joao', '320.00', 'Invoice 0219'),
  send(74, '07:51', 'kenji', 'ines', '18000', 'Kyoto deposit back'),
  { kind: 'exchange', daysAgo: 71, hour: '12:33', by: 'ines', amount: '300.00', into: 'USDT' },
  send(68, '19:30', 'ines', 'amelia', '50.00', 'Birthday'),
  send(66, '10:11', 'grace', 'lucas', '540.00', 'Photographs, spring catalogue'),
  deposit(62, '08:00', 'ines', '1500.00'),
  send(58, '09:15', 'ines', 'lucas', '400.00', 'Rent share, rue Mercière'),
  send(55, '18:40', 'grace', 'ines', '1850.00', 'Design retainer, September'),
  send(52, '21:02', 'ines', 'priya', '150.00', 'For Amma'),
  send(49, '14:25', 'lucas', 'kenji', '120.00', 'Knife, with thanks'),
  send(45, '11:48', 'amelia', 'lucas', '64.00', 'Half of the ferry'),
  send(41, '16:20', 'ines', 'joao', '410.00', 'Invoice 0226'),
  send(37, '20:15', 'ines', 'lucas', '72.40', 'Dinner at Daniel et Denise'),
  deposit(33, '08:00', 'ines', '1500.00'),
  deposit(32, '09:30', 'lucas', '900.00'),
  send(28, '09:15', 'ines', 'lucas', '400.00', 'Rent share, rue Mercière'),
  send(26, '18:40', 'grace', 'ines', '1850.00', 'Design retainer, October'),
  send(23, '21:04', 'ines', 'priya', '150.00', 'For Amma'),
  send(20, '13:37', 'lucas', 'amelia', '45.00', 'Train to Avignon'),
  send(17, '16:20', 'ines', 'joao', '380.00', 'Invoice 0231'),
  send(14, '19:30', 'amelia', 'ines', '39.50', 'Books'),
  send(11, '03:51', 'kenji', 'ines', '13164', 'Workshop fee'),
  send(8, '10:02', 'ines', 'lucas', '120.00', 'Camera strap and film'),
  deposit(5, '08:00', 'ines', '1500.00'),
  send(4, '12:44', 'lucas', 'ines', '58.00', 'Groceries, split'),
  send(2, '21:07', 'ines', 'priya', '150.00', 'For Amma'),
  send(1, '09:15', 'ines', 'lucas', '400.00', 'Rent share, rue Mercière'),
  send(1, '18:42', 'grace', 'ines', '640.00', 'Design retainer, extra day'),
]
