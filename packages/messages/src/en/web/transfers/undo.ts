import { plural } from '../../../plural.ts'

const counted = plural('en')

const seconds = (count: number) => counted(count, { one: '1 second', other: `${count} seconds` })
const minutes = (count: number) => counted(count, { one: '1 minute', other: `${count} minutes` })
const length = (count: number) => (count < 60 || count % 60 !== 0 ? seconds(count) : minutes(count / 60))

/** Undoing a recent send: on /send, in transaction details and in the settings. */
export const undo = {
  seconds,
  minutes,

  review: (count: number) => `You have ${length(count)} to undo. After that the payment is final.`,
  reviewCard: (count: number) =>
    `Once your payment arrives, you have ${length(count)} to undo. After that the payment is final.`,

  sending: (amount: string, name: string) => `Sending ${amount} to ${name}`,
  leavesWallet: (time: string) => `It leaves your wallet in ${time}.`,
  leavesNow: 'It’s leaving now.',
  canUndo: (time: string) => `You can undo this for ${time}.`,
  secondsLeft: (count: number) => `${seconds(count)} left to undo.`,
  undo: 'Undo',
  undoShort: (count: number) => `${count} s`,
  sendNow: 'Send now',
  segment: (count: number) =>
    `One segment is ${count === 1 ? 'one second' : count === 60 ? 'one minute' : seconds(count)}.`,
  thenFinal: 'Until it leaves you can take it back; after that, it’s final.',
  tooLate: 'Too late to undo: the money has left.',
  undoFailed: 'We couldn’t undo it. Please try again.',
  sendNowFailed: 'We couldn’t send it now. It leaves automatically in a moment.',

  undoneTitle: 'Nothing was sent',
  undoneWallet: (amount: string, name: string) => `${amount} is back in your wallet. ${name} never saw it.`,
  undoneOutside: (amount: string, name: string) =>
    `${amount} from your payment is in your wallet. ${name} never saw it.`,
  undeliverable: (amount: string, name: string) =>
    `${name} can’t receive money right now. ${amount} is in your wallet.`,
  sentBack: (amount: string) => `${amount} went back to the bank account it came from.`,
  editAgain: 'Change and send again',

  heldUntil: (time: string) => `Sending. It leaves in ${time}; until then you can undo it.`,
  leavesSoon: 'Sending: leaves in less than a minute',
  leavesIn: (count: number) => `Sending: leaves in ${minutes(count)}`,
  undone: 'Undone. Nothing was sent.',
  youUndid: (amount: string) => `You undid this. Nothing was sent: ${amount} is in your wallet.`,
  sent: 'Sent.',

  settingsText: 'A moment to change your mind after you press Send Money. Until it’s over, the recipient sees nothing.',
  forWhom: 'Which sends',
  whom: {
    new_payees: 'To people I’ve never paid before',
    everybody: 'To everyone',
    nobody: 'No one: every send is final right away',
  },
  howLong: 'Time to undo',
  none: 'None',
  length,
  bankHint: 'Sends you pay for by bank account can be canceled until your bank has paid.',
  save: 'Save',
  saved: 'Saved.',
  loadFailed: 'We couldn’t load this setting.',
  saveFailed: 'This wasn’t saved. Please try again.',
}
