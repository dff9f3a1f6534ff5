/** Mails about manual checks that hold money. They give no reasons, which the law forbids in many countries. */
export const checkMails = {
  button: 'See your checks',
  note: "If this wasn't you, change your password and log out all other devices in your settings.",
  until: 'Decided by',
  answer_by: 'Answer by',
  expected: 'Expected by',
  check_holds: {
    subject: 'One of your payments is being checked',
    preview: 'The money is on hold until we decide.',
    text: "Our team is checking one of your payments. The money is on hold until we decide. You can't cancel it in the meantime, but you can object.",
  },
  guest_check_holds: {
    subject: 'A payment to you is being checked',
    preview: "You'll get the money once we've cleared it.",
    text: "Someone without a Tern account is paying your request, and our team is checking that payment. You'll get the money once it's cleared. Please don't count on it until then.",
  },
  list_holds: {
    subject: 'One of your payments is waiting for a list update',
    preview: 'The money is on hold, and the payment continues automatically.',
    text: "By law we compare names with public lists before money moves, and our copy of those lists is out of date. The money is on hold, and nothing is lost. The payment continues automatically once the lists are updated and the names are checked. You don't need to do anything.",
  },
  guest_list_holds: {
    subject: 'A payment to you is waiting for a list update',
    preview: "You'll get the money once we've checked the name.",
    text: "Someone without a Tern account is paying your request. By law we compare their name with public lists first, and our copy of those lists is out of date. Their card isn't charged until then, and the payment continues automatically. Please don't count on the money until then.",
  },
  check_asks: {
    subject: 'We need something from you for a check',
    preview: 'Your money is on hold until we have it.',
    explanation:
      'Please tell us more about yourself or your payments so we can finish a check. Your money is on hold until then.',
    document:
      'Please upload a document and tell us what it shows so we can finish a check. Your money is on hold until then.',
  },
  check_decided: {
    subject: 'Check completed',
    preview: "Here's what happens next.",
    cleared: "We've finished a check and found no problem. Payments that were waiting only for it are on their way.",
    confirmed:
      "We've finished a check. By law we must keep your money where it is: nothing can leave your wallet or come in from others. You can object.",
    not_made:
      "We've finished a check, and one of your payments can't be made. The money is on its way back to your wallet.",
    sent_back:
      "We've finished a check, and we can't accept the money from your bank account. It's going back to that account.",
    not_accepted:
      "We've finished a check, and we can't accept a payment to you from someone without an account. They keep their money, and your request can be paid again.",
  },
  objection_decided: {
    subject: "We've decided on your objection",
    preview: "Someone who wasn't involved in the check decided.",
    upheld: 'You were right to object. Payments that were waiting only for the check are on their way.',
    dismissed: 'We reviewed your objection and reached the same conclusion, so nothing changes.',
  },
}
