type Movement = { kind: string; amount: string }
type OwnMovement = { own_kind: string; own_amount: string }

/** What operators read about cases of reconciliation. */
export const operator = {
  /** What somebody needs to know to decide a case. */
  cases: {
    capture_differs: ({ captured, asked }: { captured: string; asked: string }) =>
      `Captured were ${captured}; asked for were ${asked}.`,
    captured_again: ({ captured, capture }: { captured: string; capture: string }) =>
      `Captured were ${captured} for a payment that had been captured already, as ${capture}.`,
    capture_of_another: ({ line, owner }: { line: string; owner: string }) =>
      `The provider says that the movement ${line} is of this payment; here it is of ${owner}.`,
    capture_not_awaited: ({ captured }: { captured: string }) =>
      `Captured were ${captured} for a payment request that can't take them. Refund it at the provider.`,
    payment_unanswered: 'The provider never said whether it took this payment on, and cannot be asked again.',
    payout_unanswered: 'The provider never said whether it took this payout on, and cannot be asked again.',
    payout_late: ({ expected }: { expected: string }) =>
      `The bank should have had this payout by ${expected}; the provider says neither that it is paid nor that it failed.`,
    payout_differs: ({ paid, ordered }: { paid: string; ordered: string }) =>
      `Paid out ${paid}; ordered were ${ordered}.`,
    return_differs: ({ returned, paid }: { returned: string; paid: string }) =>
      `Returned were ${returned}; paid out were ${paid}.`,
    return_to_nobody: ({ returned }: { returned: string }) =>
      `Returned were ${returned} to somebody who has deleted their account. Nothing was posted; who they were is sealed (npm run privacy).`,
    deposit_not_given_back: ({ amount }: { amount: string }) =>
      `${amount} came from a bank account whose holder is on a list, and the bank does not take the money back. It stays on hold; give it back by hand, or hand it over to the authority.`,
    deposit_came_again: ({ amount }: { amount: string }) =>
      `${amount} was given back to a bank account whose holder is on a list, and the bank returned it. Nothing was posted.`,
    payout_of_another: ({ line }: { line: string }) =>
      `The provider says that the movement ${line} is of this payout; here it is of something else.`,
    payout_contradicted: ({ there, here }: { there: string; here: string }) =>
      `The provider says that a payout is ${there} which is ${here} here.`,
    reversal_does_not_fit: ({ kind, amount, left }: Movement & { left: string }) =>
      `A ${kind} of ${amount} does not fit the payment it names, of which ${left} are left. Nothing was posted.`,
    loss: ({ kind, amount, lost, user }: Movement & { lost: string; user: string }) =>
      `A ${kind} took back ${amount}. ${lost} of it were no longer in the wallet of user ${user}: that is our loss unless it can be recovered from them.`,
    credit_missing: ({ amount, lost, user }: { amount: string; lost: string; user: string }) =>
      `A dispute's credit of ${amount} was taken back. ${lost} of it was no longer in the wallet of user ${user}: that is our loss unless it can be recovered from them.`,
    came_and_went: ({ kind, amount }: Movement) =>
      `A ${kind} of ${amount}, with others that make up for it. Nothing was posted.`,
    books_differ: ({ kind, amount, own_kind: ownKind, own_amount: ownAmount }: Movement & OwnMovement) =>
      `The provider's books have a ${kind} of ${amount}, ours have a ${ownKind} of ${ownAmount}.`,
    not_posted: ({ kind, amount, reference }: Movement & { reference: string }) =>
      `The provider's books have a ${kind} of ${amount} for ${reference}; nothing was posted for it.`,
    not_ours: ({ kind, amount }: Movement) =>
      `The provider's books have a ${kind} of ${amount} for nothing of ours; nothing was posted for it.`,
    not_at_provider: ({ kind, amount }: Movement) =>
      `We posted a ${kind} of ${amount}; the provider's books do not have it.`,
    earlier_finding: 'An earlier version found this.',
    balance_differs: ({ account, stands, should }: { account: string; stands: string; should: string }) =>
      `The account ${account} stands at ${stands}; the movements with the provider make ${should}.`,
  },

  /** Why a case is closed. Whoever closes one by hand says so in their own words. */
  resolutions: {
    provider_answered: 'The provider said what became of the payment.',
    matched: 'It could be placed.',
    recovered: 'What was lost came back.',
    decided_for_person: 'The dispute was decided for the person, so the money is theirs.',
    paid_by_person: 'The person paid what was missing.',
    books_agree: 'The books agree about it now.',
    manual: 'Somebody decided it.',
  },
} as const
