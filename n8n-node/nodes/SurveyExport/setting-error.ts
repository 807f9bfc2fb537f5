import { type Message, render } from '@survey-export/core';

/** A setting that cannot be used: `facts` name it, `advice` says why and what to do. */
export class SettingError extends Error {
	readonly facts: Message;
	readonly advice: Message;

	constructor(facts: Message, advice: Message) {
		super(render(facts));
		this.facts = facts;
		this.advice = advice;
	}
}
