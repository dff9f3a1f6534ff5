/** What somebody reads who has to prove their identity first. */
export const verification = {
  needed: {
    title: 'Verify your identity first',
    text: 'Verify once to send and receive. It takes about three minutes.',
  },
  waiting: {
    title: 'We are checking your identity',
    text: "You can send and add money as soon as the check is done. There's nothing for you to do right now.",
  },
  rejected: {
    title: "We couldn't verify your identity",
    text: 'Review what you entered and submit it again.',
  },
  verify: 'Verify identity',

  title: 'Identity',
  text: 'The law asks us to know who you are before money moves.',
  loadFailed: "We couldn't load where your verification stands.",
  states: {
    not_started: { name: 'Not verified', text: 'Three short steps, about three minutes.' },
    pending: { name: 'Being checked', text: 'The result comes in a moment. There is nothing for you to do.' },
    in_review: { name: 'In review', text: 'A person looks at your details. There is nothing for you to do.' },
    needs_information: { name: 'Something is needed', text: 'Correct this and submit the form again.' },
    rejected: { name: 'Not accepted', text: 'If something in the form was wrong, correct it and submit it again.' },
    verified: { name: 'Verified', text: 'You can send, exchange, add and withdraw money.' },
  },
  actions: {
    not_started: 'Verify identity',
    needs_information: 'Correct and resubmit',
    rejected: 'Correct and resubmit',
  },
  needs: 'What is needed',
  wholeForm: 'Your details',
}
