/** Calls to customers, on the page about people. */
export const calls = {
  start: 'Call this customer',
  startText:
    'Only for a call that you place yourself, to a number the customer gave us. Never start one for somebody who calls you, and never read its code to them.',
  about: 'What the customer reads as the reason',
  reasons: {
    payment: 'One of your payments',
    verification: 'Your identity verification',
    security: 'The security of your account',
    question: 'A question you asked us',
    account: 'Your account',
  },
  reasonHint: 'The same few reasons for everyone, so that none of them hints at a case.',
  startButton: 'Show the call in the app',

  own: (username: string) => `You are calling ${username}`,
  facts: (reason: string, since: string, until: string) => `${reason}. Since ${since}, ends automatically at ${until}.`,
  sayFirst: 'Say this code first, before anything else:',
  codeLabel: (digits: string) => `Code: ${digits}`,
  neverAsk: 'The customer sees the same code. Never ask them for a code, a password or a payment.',
  confirmed: (time: string) => `The customer confirmed in the app at ${time} that you said the code.`,
  notConfirmed: 'The customer has not confirmed the call in the app yet.',
  end: 'End the call',
  over: {
    operator: (username: string) => `Your call to ${username} has ended.`,
    user: (username: string) => `${username} said that this call is not right. Hang up now. The other operators know.`,
    time: (username: string) => `Your call to ${username} ended automatically.`,
    account: (username: string) => `${username} closed their account, so your call ended.`,
  },

  alerts: 'Customers doubt a call',
  alertsText: 'Find out what happened, and help the customer. Write down what you did.',
  alertsShow: (count: number) => `Show (${count})`,
  kinds: {
    refused: (operator: string) => `Refused a call by ${operator}`,
    impostor: 'Was called by somebody who claimed to be from Tern',
  },
  alertsNone: 'No alerts that you can handle.',
  done: 'What was done',
  doneHint: 'At least 10 characters. Kept in the log.',
  close: 'Close the alert',
}
