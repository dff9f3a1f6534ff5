/** Dashboard of a user who is not verified yet or has made no transfer. */
export const verification = {
  states: {
    not_started: 'Have your passport or ID card ready.',
    pending: 'We are checking your identity. You can add and send money as soon as that is done.',
    in_review: 'Our team is reviewing your details. You can add and send money as soon as that is done.',
    needs_information: 'We need some more information from you.',
    rejected: "We couldn't verify your identity. See why, and try again.",
  },
  begin: 'Verify',
  seeState: 'See status',
  seeNeeds: "See what's needed",
}

/** Steps from registration to the first transfer. */
export const firstSteps = {
  title: 'Three steps to your first transfer',
  done: 'Done',
  verify: 'Verify your identity',
  verifyDone: 'Your identity is verified.',
  add: 'Add money',
  addText: 'By card at once, or from your bank.',
  addDone: 'The money is in your wallet.',
  send: 'Send',
  sendText: 'A username or an email is enough.',
}
