/** Notice and status for users who are not verified yet. */
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
  text: 'By law we must verify who you are.',
  loadFailed: "We couldn't load your verification status.",
  states: {
    not_started: { name: 'Not verified', text: 'Three short steps, about three minutes.' },
    pending: { name: 'Being checked', text: 'You’ll have the result in a moment. There is nothing for you to do.' },
    in_review: { name: 'In review', text: 'Our team is reviewing your details. There is nothing for you to do.' },
    needs_information: { name: 'More information needed', text: 'Correct this and submit the form again.' },
    rejected: { name: 'Not accepted', text: 'If something in the form was wrong, correct it and submit it again.' },
    verified: { name: 'Verified', text: 'You can send, exchange, add and withdraw money.' },
  },
  /** Steps that the user must take before the identity check continues. */
  nextSteps: {
    confirm_email: {
      name: 'Confirm your email',
      text: (email: string) => `We check your details once you have followed the link we emailed to ${email}.`,
      action: 'Send the email again',
    },
    identity_check: {
      name: 'One step is left',
      text: 'Our identity partner needs a photo of your document. It takes about two minutes.',
      action: 'Continue with identity check',
    },
  },
  emailSent: (email: string) => `We sent it again to ${email}. The link works for 24 hours.`,
  emailFailed: "We couldn't send the email. Please try again in a moment.",
  pageFailed: "We couldn't open the identity check. Please try again in a moment.",
  pageEnded: 'There is nothing left to do there. You’ll have the result in a moment.',
  actions: {
    not_started: 'Verify identity',
    needs_information: 'Correct and resubmit',
    rejected: 'Correct and resubmit',
  },
  needs: 'What is needed',
  wholeForm: 'Your details',
}
