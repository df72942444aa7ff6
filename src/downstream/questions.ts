/** Asks a client of the legacy era: a request on the stream of its call, answered by a POST of its own. */
import { GatewayError } from '../errors.ts';
import type { Ask, JsonObject, Question } from '../model.ts';
import { isObject, type Id, type Incoming } from '../protocol/envelope.ts';
import { answerable, QUESTIONS } from '../protocol/questions.ts';

/** How long a person may take. */
const QUESTION_TIMEOUT = 600_000;
/** Questions that may wait in one session. */
const MAX_OPEN = 64;

type Response = Incoming & { kind: 'response' };

/** The questions of one session that have no answer yet. */
export interface Questions {
  /** What a call may ask with; undefined when this client answers nothing. `send` puts a message on the stream of the call. */
  on(send: (message: JsonObject) => void, signal: AbortSignal): Ask | undefined;
  /** A response of the client. @returns whether it was waited for. */
  receive(response: Response): boolean;
  /** Refuses all that wait: the session has ended. */
  end(): void;
}

export function createQuestions(capabilities: Readonly<JsonObject>): Questions {
  const waiting = new Map<Id, (response: Response | GatewayError) => void>();
  let count = 0;

  function put(
    send: (message: JsonObject) => void,
    signal: AbortSignal,
    { method, params, withdrawn }: Question,
  ): Promise<JsonObject> {
    const capability = QUESTIONS[method];
    if (capability === undefined || !isObject(capabilities[capability]))
      throw new GatewayError('missing_capability', `The client did not declare that it answers ${method}.`);
    if (waiting.size >= MAX_OPEN)
      throw new GatewayError('overloaded', 'Too many questions wait for this client.');
    const id = `gatehouse-${++count}`;
    return new Promise((resolve, reject) => {
      const late = setTimeout(
        () => withdraw('timed_out', 'The client did not answer in time.'),
        QUESTION_TIMEOUT,
      );
      const gone = (): void => withdraw('cancelled', 'The call was cancelled.');
      const unasked = (): void => withdraw('cancelled', 'The server withdrew its question.');
      /** The client is told that its answer is no longer waited for (2025-11-25, "Cancellation"). */
      function withdraw(code: 'timed_out' | 'cancelled', reason: string): void {
        send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason } });
        settle(new GatewayError(code, reason));
      }
      function settle(response: Response | GatewayError): void {
        clearTimeout(late);
        signal.removeEventListener('abort', gone);
        withdrawn?.removeEventListener('abort', unasked);
        waiting.delete(id);
        if (response instanceof GatewayError) reject(response);
        else if (isObject(response.result)) resolve(response.result);
        else reject(refusedBy(response));
      }
      waiting.set(id, settle);
      signal.addEventListener('abort', gone, { once: true });
      withdrawn?.addEventListener('abort', unasked, { once: true });
      send({ jsonrpc: '2.0', id, method, params });
    });
  }

  return {
    on: (send, signal) => answerable(capabilities) && (async (question) => put(send, signal, question)),
    receive(response) {
      const settle = waiting.get(response.id);
      settle?.(response);
      return settle !== undefined;
    },
    end() {
      for (const settle of waiting.values()) settle(new GatewayError('cancelled', 'The session ended.'));
    },
  };
}

/** The client's error reaches the server as the client wrote it. */
function refusedBy({ error }: Response): GatewayError {
  const { code, message, data } = isObject(error) ? error : {};
  const said = {
    code: typeof code === 'number' ? code : -32603,
    message: typeof message === 'string' ? message : 'refused',
    ...(data === undefined ? {} : { data }),
  };
  return new GatewayError('denied', `The client refused the question: ${said.message}`, { data: said });
}
