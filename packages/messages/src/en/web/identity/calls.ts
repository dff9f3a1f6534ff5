/** Page /calls: whether Tern is calling the account holder, and its banner. */
export const calls = {
  lead: 'Anyone can say they are from Tern. This page shows whether we are calling you at this moment.',
  bannerNow: 'Tern is calling you now.',
  bannerLink: 'Check the call',

  none: 'We are not calling you',
  noneText: 'If someone on the phone says they are from Tern, hang up. Your money is safe where it is.',
  unknown: "We can't check right now",
  unknownText:
    "This page has no connection to us. Until it does, don't talk to anyone who says they are from Tern. Hang up.",
  checkAgain: 'Check again',
  checkedAt: (time: string) => `Checked at ${time}`,

  current: (caller: string) => `${caller} from Tern is calling you`,
  since: (time: string, about: string) => `Since ${time}, about ${about}`,
  ends: (time: string) => `This call ends automatically at ${time}.`,
  askCode: 'Ask the caller for the code. They have to say:',
  codeLabel: (digits: string) => `Code: ${digits}`,
  codeNote: "Don't read it out yourself. Someone who can't say it is not from Tern.",
  matches: 'The caller said this code',
  confirmed: 'You confirmed this call',
  confirmedText: 'The caller can see that you confirmed it.',
  notRight: 'This is not right',
  refused: 'The call is over, and our team knows. Hang up if you are still on the phone.',
  report: 'Someone said they are from Tern',
  reported: 'Thank you. Our team knows now. Hang up if you are still on the phone.',
  failed: "We couldn't save your answer. Hang up if you are in doubt.",

  about: {
    payment: 'one of your payments',
    verification: 'your identity verification',
    security: 'the security of your account',
    question: 'a question you asked us',
    account: 'your account',
  },

  neverTitle: 'On the phone we never ask you',
  never: [
    'for a password, a PIN or a code',
    'to move money, to anyone or to a “safe account”',
    'to install anything or to share your screen',
    'to keep the call a secret',
  ],

  earlierTitle: 'Earlier calls from us',
  earlierNone: 'We have not called you in the last 400 days.',
  earlier: (caller: string, about: string) => `${caller}, about ${about}`,
  ended: {
    operator: 'Ended by the caller',
    user: 'You said it was not right',
    time: 'Ended automatically',
    account: 'Ended with the account',
  },

  settingTitle: 'Is Tern calling you?',
  settingText: 'See whether a call is really from us, and all earlier calls',
  settingLink: 'Check',
}
