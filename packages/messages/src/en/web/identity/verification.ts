/** What somebody reads who has to prove their identity first. */
export const verification = {
  needed: {
    title: 'Verify your identity first',
    text: 'Money moves only between people whose identity is known. It takes a few minutes, once.',
  },
  waiting: {
    title: 'Your identity is being checked',
    text: 'You can send and deposit as soon as the check is done. Nothing is needed from you right now.',
  },
  rejected: {
    title: 'Your identity could not be verified',
    text: 'You can look through what you entered and submit it again.',
  },
  verify: 'Verify Identity',
}
