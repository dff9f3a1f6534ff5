type Movement = { kind: string; amount: string }
type Warning = { amount: string; reason: string; payment: string; by: string }
type Safeguarded = { amount: string; bank: string; day: string; subject: string; cause: string; due: string }
type OwnMovement = { own_kind: string; own_amount: string }

const causes: Readonly<Record<string, (subject: string) => string>> = {
  unknown_entry: (subject) => `entry ${subject} belongs to no transfer of ours`,
  duplicate: (subject) => `entry ${subject} repeats a transfer that was booked before`,
  wrong_currency: (subject) => `${subject} is booked in the account of another currency`,
  amount_differs: (subject) => `entry ${subject} has another amount than its transfer`,
  balance: (subject) => `the entries of ${subject} do not add up to the change of the balance`,
  opening: (subject) => `the balance at the start of ${subject} differs from our records`,
  no_account: (subject) => `no bank has an account in ${subject}`,
  no_statement: () => 'the bank has no statement',
  no_answer: () => 'the bank does not answer',
  account_missing: () => 'the statement lacks an account',
  not_reconciled: () => "a payment provider's books are not compared yet (npx tern reconcile)",
}

const describeCause = (cause: string, subject: string): string => causes[cause]?.(subject) ?? cause

/** Texts for operators about reconciliation cases. */
export const operator = {
  /** Facts for the decision about a case. */
  cases: {
    capture_differs: ({ captured, asked }: { captured: string; asked: string }) =>
      `${captured} was captured; ${asked} was requested.`,
    captured_again: ({ captured, capture }: { captured: string; capture: string }) =>
      `${captured} was captured for a payment that had already been captured, as ${capture}.`,
    capture_of_another: ({ line, owner }: { line: string; owner: string }) =>
      `The provider says that movement ${line} belongs to this payment; here it belongs to ${owner}.`,
    capture_not_awaited: ({ captured }: { captured: string }) =>
      `${captured} was captured for a payment request that can't accept it. Refund it at the provider.`,
    payment_unanswered: 'The provider never said whether it accepted this payment, and cannot be asked again.',
    payout_unanswered: 'The provider never said whether it accepted this payout, and cannot be asked again.',
    payout_late: ({ expected }: { expected: string }) =>
      `The bank should have received this payout by ${expected}; the provider reports it neither as paid nor as failed.`,
    payout_differs: ({ paid, ordered }: { paid: string; ordered: string }) =>
      `${paid} was paid out; ${ordered} was ordered.`,
    return_differs: ({ returned, paid }: { returned: string; paid: string }) =>
      `${returned} was returned; ${paid} had been paid out.`,
    return_to_nobody: ({ returned }: { returned: string }) =>
      `${returned} was returned to a person who has deleted their account. Nothing was posted; their identity is sealed (npx tern privacy).`,
    deposit_not_given_back: ({ amount }: { amount: string }) =>
      `${amount} came from a bank account whose holder is on a list, and the bank does not take the money back. It stays on hold: return it manually, or hand it over to the authority.`,
    deposit_came_again: ({ amount }: { amount: string }) =>
      `${amount} was sent back to a bank account whose holder is on a list, and the bank returned it. Nothing was posted.`,
    payout_of_another: ({ line }: { line: string }) =>
      `The provider says that movement ${line} belongs to this payout; here it belongs to something else.`,
    payout_contradicted: ({ there, here }: { there: string; here: string }) =>
      `The provider says that this payout is ${there}; here it is ${here}.`,
    reversal_does_not_fit: ({ kind, amount, left }: Movement & { left: string }) =>
      `A ${kind} of ${amount} does not fit the payment it names, of which ${left} is left. Nothing was posted.`,
    loss: ({ kind, amount, lost, user }: Movement & { lost: string; user: string }) =>
      `A ${kind} took back ${amount}. ${lost} of it was no longer in the wallet of user ${user}: this is our loss unless it can be recovered from them.`,
    credit_missing: ({ amount, lost, user }: { amount: string; lost: string; user: string }) =>
      `A dispute's credit of ${amount} was taken back. ${lost} of it was no longer in the wallet of user ${user}: this is our loss unless it can be recovered from them.`,
    came_and_went: ({ kind, amount }: Movement) =>
      `A ${kind} of ${amount} that other movements cancel out. Nothing was posted.`,
    books_differ: ({ kind, amount, own_kind: ownKind, own_amount: ownAmount }: Movement & OwnMovement) =>
      `The provider's books have a ${kind} of ${amount}, ours have a ${ownKind} of ${ownAmount}.`,
    not_posted: ({ kind, amount, reference }: Movement & { reference: string }) =>
      `The provider's books have a ${kind} of ${amount} for ${reference}; nothing was posted for it.`,
    not_ours: ({ kind, amount }: Movement) =>
      `The provider's books have a ${kind} of ${amount} that matches nothing of ours; nothing was posted for it.`,
    not_at_provider: ({ kind, amount }: Movement) =>
      `We posted a ${kind} of ${amount}; the provider's books do not have it.`,
    earlier_finding: 'An earlier version of the program found this.',
    card_early_fraud_warning: ({ amount, reason, payment }: Warning) =>
      `The card's issuer reports payment ${payment} of ${amount} as fraud (${reason}). A refund at the provider avoids the dispute and its fee.`,
    card_inquiry: ({ amount, reason, payment, by }: Warning) =>
      `The card's issuer asks about payment ${payment} of ${amount} (${reason}). Answer or refund it at the provider${by === '' ? '' : ` by ${by}`}, or it becomes a dispute.`,
    card_dispute: ({ amount, reason, payment, by }: Warning) =>
      `The card's issuer disputes payment ${payment} of ${amount} (${reason}).${by === '' ? ' The evidence is with the issuer.' : ` Give evidence at the provider by ${by}, or accept the loss there.`}`,
    own_movement_unknown: ({ amount }: { amount: string }) =>
      `The provider's books have a movement of ${amount} of a kind that is not known here. It is posted to suspense: find out what it is.`,
    provider_balance_differs: ({ balance, there, here }: { balance: string; there: string; here: string }) =>
      `The provider's balance of ${balance} is ${there}; the movements in its books add up to ${here}.`,
    safeguarding_shortfall: ({ amount, bank, day, subject, cause, due }: Safeguarded) =>
      `At the end of ${day}, ${bank} had ${amount} less of customers' money than it should: ${describeCause(cause, subject)}. Top up the account by ${due}; from then on it is notifiable.`,
    safeguarding_excess: ({ amount, bank, day, subject, cause, due }: Safeguarded) =>
      `At the end of ${day}, ${bank} had ${amount} more than customers' money: ${describeCause(cause, subject)}. Have it corrected, or take it out, by ${due}; from then on it is notifiable.`,
    safeguarding_late_posting: ({ amount, bank, day, subject, due }: Safeguarded) =>
      `The statement of ${day} by ${bank} lacks the transfer ${subject} of ${amount}. Wait for it, and ask the bank; from ${due} on it is notifiable.`,
    safeguarding_not_compared: ({ bank, day, cause, due }: Safeguarded) =>
      `Customers' money at ${bank} could not be compared for ${day}: ${describeCause(cause, day)}. From ${due} on it is notifiable.`,
    balance_differs: ({ account, stands, should }: { account: string; stands: string; should: string }) =>
      `The account ${account} has a balance of ${stands}; the movements with the provider add up to ${should}.`,
  },

  /** Reasons for closing a case. Operators who close a case by hand write their own. */
  resolutions: {
    provider_answered: 'The provider reported the outcome of the payment.',
    matched: 'It was matched.',
    recovered: 'The loss was recovered.',
    decided_for_person: 'The dispute was decided for the person, so the money is theirs.',
    paid_by_person: 'The person repaid the amount owed.',
    books_agree: 'The books agree now.',
    warning_ended: 'The card’s issuer has decided, or nothing can be done any more.',
    manual: 'An operator decided it.',
  },
} as const
