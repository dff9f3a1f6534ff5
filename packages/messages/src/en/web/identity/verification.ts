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
}
