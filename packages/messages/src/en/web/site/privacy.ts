export const privacy = {
  description: 'What Tern keeps about you, for how long, who receives it, and what it never does.',
  lead: 'What we keep about you, why, for how long, and who can see it.',
  clauses: {
    told: {
      title: 'What you tell us',
      text: [
        'For your account: email, username, name, and a password of which only a hash is kept. For the identity check: legal name, date of birth, nationality, address, national ID number and document number. ID, document and tax numbers are encrypted before they are stored; of each, only the last characters stay readable.',
        'Photos and PDFs of your document lose hidden details, such as the place a photo was taken, before they are encrypted and stored. You can delete them until a check has started or has verified you.',
        'For the waitlist: your email address and the country you choose, and nothing else. They may be passed on to a form service that works for us.',
      ],
      short: 'Account, identity, waitlist. ID numbers and documents are encrypted.',
      where: 'everything we hold about you',
    },
    noticed: {
      title: 'What we notice',
      text: [
        'For each login: the time, the browser’s name, the country and the network of the address, not the address itself. We use them to show you where you are logged in and to alert you to devices you don’t know.',
        'For each payment: amounts, rate, fee, the other person, the description you wrote, the payment partner’s reference, and why it did or did not need a confirmation.',
      ],
      short: 'Logins and movements of money. No browsing history.',
      where: 'where you are logged in',
    },
    screening: {
      title: 'Comparing names with lists',
      text: [
        'Once you send your identity form, your name, date of birth and countries are compared with public lists of people under sanctions and of people in public office, and again whenever a list or your details change. So is the name that your bank gives with an account you link, and the name of a guest who pays your request. We keep the lists ourselves: nothing about you goes to their publishers.',
      ],
      short: 'The lists come to us. Your name goes nowhere.',
      where: 'the lists, with their dates',
    },
    cookies: {
      title: 'Cookies and storage',
      text: [
        'One cookie keeps you logged in, one recognizes a browser that you have used, and one may keep your language. Your browser also stores a short-lived access token, your user ID, and a transfer you have started. There is no cookie for advertising or analysis, so there is no banner.',
      ],
      short: 'Only what the product needs to work.',
    },
    receivers: {
      title: 'Who receives it',
      text: [
        'Payment partners get what they need for a payment or a withdrawal. The identity check gets your verification form. Our email server gets your email address and the message. If you log in with Google or another provider, that provider knows it.',
        'People you pay see your username and, once you are verified, your legal name. They see your email only if they typed it in full. We don’t sell your data or share it for advertising.',
      ],
      short: 'Partners get what a payment needs. Your data is never sold.',
    },
    operators: {
      title: 'Who may look',
      text: [
        'Some questions need a person: an unclear identity form, a transfer on hold, a missing payment. Operators work on them in a separate system, with accounts and passkeys of their own. Your ID numbers stay sealed there.',
        'Each time an operator opens something of yours, a line is added to a log that no one can change, and, unless the law forbids it, to the list you read in Settings: when, what, why, and under which pseudonym.',
      ],
      short: 'Few people can look. Each time is recorded, and you can read the list.',
      where: 'who looked at your data',
    },
    retention: {
      title: 'How long',
      text: [
        'Payments are kept as long as the books are. Your account and verification are kept until your account is deleted, 14 days after you ask for it. Then your name is removed from the books; if you were verified, your identity is sealed for five years, as the law requires, and then erased. Sessions are deleted 400 days after their last use and unused prices 90 days after they expired. Emails are deleted once sent; the note that we sent them is kept for 90 days.',
        'Logs identify you by a number, never by your email, name or login details.',
      ],
      short: 'The books stay. Everything no longer needed is deleted every night.',
      where: 'how long each kind is kept',
    },
    rights: {
      title: 'Your rights',
      text: [
        'Under Settings you see everything we hold about you, what you agreed to, and who looked at it. You can download all of it, ask us to correct verified details, which we answer within 30 days, and delete your account once it is empty and nothing is open in it. It closes at once and is deleted after 14 days; until then, logging in undoes it. If money comes back to it in the meantime, or a case is opened, it stays and we tell you why. You can change your name, username and email under Profile.',
      ],
      short: 'See it, take it with you, correct it, delete it: all in Settings.',
      where: 'download, correct, delete',
    },
  },
}
