/** What a host's model or approver throws may hold a secret, and goes into the journal and to the model. */
import { messageOf } from './errors.ts';
import type { Approver, Decision, Model } from './ports.ts';
import type { Redactor } from './text/redact.ts';

export const maskedModel = (model: Model, redact: Redactor): Model => ({
  id: model.id,
  limits: model.limits,
  price: model.price,
  send: async (request, options) => {
    try {
      return await model.send(request, options);
    } catch (error) {
      throw masked(error, redact);
    }
  },
});

export const maskedApprover = (approver: Approver, redact: Redactor): Approver => ({
  decide: async (call, signal, preview) => {
    try {
      return withMaskedReason(await approver.decide(call, signal, preview), redact);
    } catch (error) {
      throw masked(error, redact);
    }
  },
  ...(approver.raiseLimit && {
    raiseLimit: async (turns, signal) => (await approver.raiseLimit?.(turns, signal)) ?? 0,
  }),
});

/** Reasons for a denial go to the model; an approver also says there how it failed. Anything may have been given back. */
const withMaskedReason = (decision: Decision | undefined | null, redact: Redactor): Decision =>
  decision?.decision === 'deny' && typeof decision.reason === 'string'
    ? { ...decision, reason: redact(decision.reason) }
    : (decision as Decision);

/** What cannot be masked is not told. */
function masked(error: unknown, redact: Redactor): Error {
  try {
    return new Error(redact(messageOf(error)));
  } catch {
    return new Error('no reason was given');
  }
}
