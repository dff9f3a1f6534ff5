// What the mails about money from and to banks and cards say, in English.

import type { Message, Part } from './mail-layout.ts'
import { button, dated, fromOutside, note, ofAccount, ofAlert, words } from './message-parts.ts'
import type { MailData, TakenBack } from './templates.ts'

type MoneyTemplate =
  | 'bank_account_linked'
  | 'withdrawal_failed'
  | 'withdrawal_returned'
  | 'late_payment'
  | 'debit_failed'
  | 'payment_taken_back'

interface Account {
  readonly bankName: string
  readonly last4: string
}

const accountRow = ({ bankName, last4 }: Account): readonly [string, string] => [
  'Bank account',
  `${fromOutside(bankName)}, ending in ${fromOutside(last4)}`,
]

const facts = (...rows: readonly (readonly [label: string, value: string])[]): Part => ({ kind: 'facts', rows })

const notOrdered = note(
  'If it was not you who ordered this, change your password and sign out all other devices in your settings.',
)
const notPaid = note('If it was not you who paid, somebody may be using your account: change your password.')

/** A withdrawal that is in the wallet again. */
const cameBack = ({
  data: { amount, reason, link, ...account },
  subject,
  happened,
}: {
  data: MailData['withdrawal_failed']
  subject: string
  happened: string
}): Message => ({
  subject,
  preview: 'The whole amount is in your wallet again.',
  heading: subject,
  parts: [
    words(`${happened} The whole amount is in your wallet again, without a fee.`),
    facts(['Amount', amount], accountRow(account), ['Reason', fromOutside(reason)]),
    words('You can withdraw it to another bank account, or link this one again if its details were out of date.'),
    button('See your transactions', link),
    notOrdered,
  ],
  reason: ofAccount,
})

const takenBack: Readonly<Record<TakenBack, { readonly subject: string; readonly text: string }>> = {
  refund: {
    subject: 'A card payment was refunded',
    text: 'A card payment of yours was refunded. The money goes back to the card, so it was taken out of your wallet.',
  },
  chargeback: {
    subject: 'A card payment was disputed',
    text: 'The bank of a card that you paid with has taken the payment back, because it was disputed there. So it was taken out of your wallet.',
  },
  debit_return: {
    subject: 'A bank deposit was returned',
    text: 'Your bank has taken back money that had been deposited from your bank account. So it was taken out of your wallet.',
  },
}

/** A bank debit that was not paid, by what it was for. */
const unpaid: Readonly<
  Record<MailData['debit_failed']['purpose'], { readonly subject: string; readonly text: string }>
> = {
  deposit: {
    subject: 'Your bank deposit did not go through',
    text: 'Your bank did not pay a deposit to your Tern wallet. Nothing was added to your wallet.',
  },
  send: {
    subject: 'Your transfer did not go through',
    text: 'Your bank did not pay for a transfer that you ordered. It was not made: nothing was sent, and your wallet is as it was.',
  },
}

/** The message of each kind of mail about money. */
export const moneyMessages: { readonly [T in MoneyTemplate]: (data: MailData[T]) => Message } = {
  bank_account_linked: ({ at, link, ...account }) => ({
    subject: 'A bank account was linked',
    preview: 'If it was you, there is nothing to do.',
    heading: 'A bank account was linked',
    parts: [
      words('Money can now be withdrawn from your Tern wallet to this bank account, and deposited from it.'),
      facts(['When', dated(at)], accountRow(account)),
      words(
        'If it was you, there is nothing to do. If it was not you, remove the account in your settings at once, change your password and sign out all other devices.',
      ),
      button('Go to your settings', link),
      note('For the first day, larger withdrawals to it are only carried out once you have confirmed them.'),
    ],
    reason: ofAlert,
  }),

  withdrawal_failed: (data) =>
    cameBack({
      data,
      subject: 'Your withdrawal did not go through',
      happened: 'A withdrawal to your bank account could not be carried out.',
    }),

  withdrawal_returned: (data) =>
    cameBack({
      data,
      subject: 'Your withdrawal was returned',
      happened: 'A withdrawal had reached your bank, and the bank has sent it back.',
    }),

  late_payment: ({ purpose, amount, link }) => ({
    subject: 'A late payment is in your wallet',
    preview:
      purpose === 'send' ? 'What you wanted to send was not sent.' : 'It had been given up, and came all the same.',
    heading: 'A late payment is in your wallet',
    parts: [
      words(
        purpose === 'send'
          ? 'A payment of yours arrived after the transfer that it was meant for had been given up. That transfer was not made: the money is in your own wallet, where you can send or withdraw it.'
          : 'A deposit of yours had been given up, and was paid all the same. The money is in your wallet, where you can send or withdraw it.',
      ),
      facts(['Amount', amount]),
      button('See your transactions', link),
      notPaid,
    ],
    reason: ofAccount,
  }),

  debit_failed: ({ purpose, amount, link, ...account }) => ({
    subject: unpaid[purpose].subject,
    preview: 'Your bank did not pay it.',
    heading: unpaid[purpose].subject,
    parts: [
      words(unpaid[purpose].text),
      facts(['Amount', amount], accountRow(account)),
      words('See with your bank whether there was enough money in the account, then try again.'),
      button('See your transactions', link),
      notOrdered,
    ],
    reason: ofAccount,
  }),

  payment_taken_back: ({ amount, reason, link }) => ({
    subject: takenBack[reason].subject,
    preview: 'The amount was taken out of your wallet.',
    heading: takenBack[reason].subject,
    parts: [
      words(takenBack[reason].text),
      facts(['Amount', amount]),
      button('See your transactions', link),
      note('If you did not ask for this and do not know why it happened, ask your bank or the issuer of the card.'),
    ],
    reason: ofAccount,
  }),
}
