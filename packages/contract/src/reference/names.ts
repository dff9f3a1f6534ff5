import type * as z from 'zod/mini'
import { bankAccountShape, payoutState, savedCardShape } from '../banking.ts'
import { checkKind, checkNeed, checkShape, checkState } from '../compliance/checks.ts'
import {
  disputeFileShape,
  disputeKind,
  disputeNeed,
  disputeOutcome,
  disputeShape,
  disputeState,
} from '../disputes/disputes.ts'
import { topic, userEvent } from '../events.ts'
import { quoteShape } from '../exchange.ts'
import { identityDocumentShape } from '../kyc/documents.ts'
import { currentUserShape, kycStatusValue, publicUserShape } from '../identity.ts'
import { limitDirection, limitMethod, limitPeriod, limitShape } from '../limits.ts'
import { notificationGroupShape, notificationShape } from '../notifications/notifications.ts'
import { orderKind, orderShape, orderState, rateSide } from '../orders/orders.ts'
import { protectionKind, protectionRuleShape } from '../orders/protection-rules.ts'
import { rateAlertShape } from '../orders/rate-alerts.ts'
import { rateReturnAlertShape } from '../orders/rate-return-alerts.ts'
import { paymentLinkShape } from '../requests/payment-links.ts'
import { paymentRequestShape, requestState } from '../requests/requests.ts'
import { splitMethod, splitShape } from '../requests/splits.ts'
import { correctableField } from '../privacy/correctable-field.ts'
import {
  consentDocument,
  consentShape,
  correctionShape,
  dataAccessShape,
  dataCategory,
  heldDataShape,
} from '../privacy/privacy.ts'
import { paymentState } from '../payments.ts'
import { baseCurrency, currency, decimal } from '../protocol/wire.ts'
import { occurrenceShape, occurrenceState, recurrence, scheduleShape, scheduleState } from '../schedules/schedules.ts'
import { passkeyShape, sessionShape, stepUpRequirement } from '../security.ts'
import { ceremonyReply, secondFactorShape, signedInShape, signInReply } from '../sign-in.ts'
import {
  releaseReason,
  transactionList,
  holdReason,
  transactionShape,
  transactionStatus,
  transactionType,
} from '../transactions.ts'
import { transferKind, transferShape, transferState } from '../transfers.ts'
import { streetModeShape } from '../transfers/street-mode.ts'
import { foreignWalletShape, walletShape } from '../wallets.ts'

/** Schemas shared by several calls, by their public names. */
export const named: Readonly<Record<string, z.ZodMiniType>> = {
  Amount: decimal,
  BankAccount: bankAccountShape,
  BaseCurrency: baseCurrency,
  Ceremony: ceremonyReply,
  Check: checkShape,
  CheckKind: checkKind,
  CheckNeed: checkNeed,
  CheckState: checkState,
  Consent: consentShape,
  ConsentDocument: consentDocument,
  CorrectableField: correctableField,
  Correction: correctionShape,
  Currency: currency,
  CurrentUser: currentUserShape,
  DataAccess: dataAccessShape,
  DataCategory: dataCategory,
  DeviceSession: sessionShape,
  Dispute: disputeShape,
  DisputeFile: disputeFileShape,
  DisputeKind: disputeKind,
  DisputeNeed: disputeNeed,
  DisputeOutcome: disputeOutcome,
  DisputeState: disputeState,
  ForeignWallet: foreignWalletShape,
  HeldData: heldDataShape,
  HoldReason: holdReason,
  IdentityDocument: identityDocumentShape,
  KycStatus: kycStatusValue,
  Limit: limitShape,
  LimitDirection: limitDirection,
  LimitMethod: limitMethod,
  LimitPeriod: limitPeriod,
  Notification: notificationShape,
  NotificationGroup: notificationGroupShape,
  Occurrence: occurrenceShape,
  OccurrenceState: occurrenceState,
  Order: orderShape,
  OrderKind: orderKind,
  OrderState: orderState,
  Passkey: passkeyShape,
  PaymentLink: paymentLinkShape,
  PaymentRequest: paymentRequestShape,
  PaymentState: paymentState,
  PayoutState: payoutState,
  ProtectionKind: protectionKind,
  ProtectionRule: protectionRuleShape,
  PublicUser: publicUserShape,
  Quote: quoteShape,
  RateAlert: rateAlertShape,
  RateReturnAlert: rateReturnAlertShape,
  RateSide: rateSide,
  ReleaseReason: releaseReason,
  Recurrence: recurrence,
  RequestState: requestState,
  SavedCard: savedCardShape,
  Schedule: scheduleShape,
  ScheduleState: scheduleState,
  SecondFactorRequired: secondFactorShape,
  SignInReply: signInReply,
  SignedIn: signedInShape,
  Split: splitShape,
  SplitMethod: splitMethod,
  StepUpRequirement: stepUpRequirement,
  StreetMode: streetModeShape,
  Topic: topic,
  Transaction: transactionShape,
  TransactionList: transactionList,
  TransactionStatus: transactionStatus,
  TransactionType: transactionType,
  Transfer: transferShape,
  TransferKind: transferKind,
  TransferState: transferState,
  UserEvent: userEvent,
  Wallet: walletShape,
}
